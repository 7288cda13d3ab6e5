# The gateway's app of Home Assistant, under the AppArmor profile that it is shipped with. Docker's init, which is tini, runs there as root, and
# passes signals on to a program that runs as its own user.
app=../../deploy/home-assistant-apps

has_stopped() {
    local status
    until_true 10 has_ended app || return 1
    wait "${pid[app]}"; status=$?
    pid[app]=
    expect app 1 'app has stopped' && [ $status = 0 ] || { reason="ended with $status: $(tail -n 3 $work/app.log)"; return 1; }
    ! dmesg | grep -q 'DENIED.*capname="kill"' || { reason="$(dmesg | grep DENIED | tail -n 3)"; return 1; }
}
runs_confined() {
    start app env SUPERVISOR_TOKEN=token aa-exec -p forgetmenot-gateway -- /sbin/docker-init -- /app/run
    info app 60 powered_on && grep -q '^forgetmenot-gateway (enforce)' /proc/"${pid[app]}"/attr/current
}
app_stops() {
    local turn
    plug a legacy $A || return 1
    for turn in first second; do
        runs_confined || return 1
        kill "${pid[app]}"
        has_stopped || { reason="the $turn time: $reason"; return 1; }
        forget app
    done
}

mountpoint -q /sys/kernel/security || mount -t securityfs securityfs /sys/kernel/security 2>/dev/null
sentence='Home Assistant starts the gateway in its AppArmor profile, and stops it cleanly, twice'
if [ "$(cat /sys/module/apparmor/parameters/enabled 2>/dev/null)" != Y ]; then
    skip "$sentence" 'this kernel does not enforce AppArmor profiles'
else
    mkdir -p /app /data /config
    install -m 755 $app/run /app/ && cp $app/{configure.jq,join.awk} /app/ && cp $work/forgetmenot-gateway /usr/bin/ && cp /usr/bin/tini-static /sbin/docker-init
    useradd --system --user-group --no-create-home forgetmenot-gateway 2>/dev/null
    echo '{"id":"app","room":"Kitchen","adapter":"hci0","log_level":"info"}' >/data/options.json
    echo '127.0.0.1 localhost supervisor' >/etc/hosts
    [ -n "${pid[broker]:-}" ] || start_broker
    # What an app needs of the supervisor: where the broker is.
    start supervisor python3 -c 'import http.server
class Supervisor(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"""{"data":{"host":"127.0.0.1","port":1883,"ssl":false,"username":"","password":""}}""")
http.server.HTTPServer(("127.0.0.1", 80), Supervisor).serve_forever()'
    until_true 30 curl -s -o /dev/null http://supervisor/
    apparmor_parser -r -K $app/forgetmenot-gateway/apparmor.txt
    case_is "$sentence" app_stops
    forget supervisor
fi
