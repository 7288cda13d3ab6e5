// swift-format-ignore-file
// Written by Sources/Page/embed from the files in Assets: change those.

/// The files of the page, by name.
let embeddedAssets: [String: StaticString] = [
    "api.js": #"""
// Requests. Every address is relative, so that the page works below any base path.

export class Problem extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

let csrf = '';
export const setToken = (token) => { csrf = token ?? ''; };

export async function call(method, path, body, { raw = false } = {}) {
  const headers = { Accept: 'application/json' };
  if (method !== 'GET' && csrf) headers['X-Forgetmenot-CSRF'] = csrf;
  if (body !== undefined) headers['Content-Type'] = raw ? body.type || 'application/octet-stream' : 'application/json';
  let response;
  try {
    response = await fetch(`api/v1/${path}`, {
      method, headers, credentials: 'same-origin', body: body === undefined ? undefined : raw ? body : JSON.stringify(body),
    });
  } catch {
    throw new Problem(0, 'The server does not response. Check that forgetmenot runs, and try again.');
  }
  const text = await response.text();
  let value = null;
  try { value = text ? JSON.parse(text) : null; } catch { /* An error of a proxy is no JSON. */ }
  if (!response.ok) {
    if (response.status === 401) dispatchEvent(new Event('forgetmenot:login'));
    throw new Problem(response.status, value?.error ?? `The server refused this request (${response.status}).`);
  }
  return value;
}

export const get = (path) => call('GET', path);
export const query = (values) =>
  new URLSearchParams(Object.entries(values).filter(([, value]) => value != null && value !== '')).toString();

// Server-sent events over fetch: unlike EventSource, comments count as signs of life, and a refusal has its status.
// Calls onEvent(name, data) for each event and onBytes() for whatever arrives. Resolves when the stream ends; rejects if it fails.
export async function stream(path, { signal, onOpen, onBytes, onEvent }) {
  const response = await fetch(`api/v1/${path}`, {
    signal, headers: { Accept: 'text/event-stream' }, credentials: 'same-origin', cache: 'no-store',
  });
  if (!response.ok || !response.body) {
    if (response.status === 401) dispatchEvent(new Event('forgetmenot:login'));
    throw new Problem(response.status, `The server refused the live stream (${response.status}).`);
  }
  onOpen?.();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  let name = 'message';
  let data = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onBytes?.();
    const lines = (rest + value).split('\n');
    rest = lines.pop();
    for (const raw of lines) {
      const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
      if (line === '') {
        if (data.length) onEvent(name, data.join('\n'));
        name = 'message';
        data = [];
      } else if (line.startsWith('event:')) {
        name = line.slice(6).trim();
      } else if (line.startsWith('data:')) {
        data.push(line[5] === ' ' ? line.slice(6) : line.slice(5));
      }
    }
  }
}

"""#,
    "app.css": #"""
:root {
  --ground: #fbfbfa; --card: #fff; --raised: #f3f3f1; --line: #e7e6e3; --line-strong: #d3d2ce;
  --text: #1b1c20; --muted: #63656d; --accent: #3d61d0; --on-accent: #fff; --tint: #eef2fd; --warn: #a8431d; --warn-tint: #fdf1ec; --eye: #f2c230;
  --wall: #bcbcb8; --floor: #fff; --shadow: 0 1px 2px #0000000a, 0 8px 24px #0000000d; --overlay: #15171c55;
  --radius: 12px; --gap: clamp(16px, 2vw, 28px); color-scheme: light;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #121316; --card: #191a1e; --raised: #222429; --line: #292b31; --line-strong: #3b3e46;
    --text: #ecedef; --muted: #9fa2ab; --accent: #8fa9fb; --on-accent: #10131c; --tint: #1f2535; --warn: #ffa486; --warn-tint: #2e201b; --eye: #f5d063;
    --wall: #4b4e58; --floor: #17181c; --shadow: 0 1px 2px #0006, 0 8px 24px #0005; --overlay: #000a; color-scheme: dark;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { height: 100%; -webkit-text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100%; background: var(--ground); color: var(--text);
  font: 400 .9375rem/1.5 Inter, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; font-feature-settings: "cv11", "ss03"; -webkit-font-smoothing: antialiased;
  display: flex; flex-direction: column;
}
h1, h2, h3, p, ul, ol, dl, dd { margin: 0; padding: 0; }
ul, ol { list-style: none; }
h1 { font-size: 1.75rem; line-height: 1.2; font-weight: 650; letter-spacing: -.022em; }
h2 { font-size: 1.0625rem; font-weight: 620; letter-spacing: -.011em; }
h3 { font-size: .9375rem; font-weight: 600; letter-spacing: -.006em; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; text-underline-offset: 3px; }
small { font-size: .8125rem; color: var(--muted); display: block; }
code { font: 400 .8125rem/1.5 ui-monospace, "SF Mono", Menlo, monospace; overflow-wrap: anywhere; }
.number, .seen, .sure, .time, .long, .rssi { font-variant-numeric: tabular-nums; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 6px; }
main:focus, h1:focus, h2:focus { outline: none; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: 12px; top: -60px; z-index: 9; background: var(--card); padding: 10px 16px; border-radius: 8px; box-shadow: var(--shadow); }
.skip:focus { top: 8px; }

/* The bar */
.bar { display: flex; align-items: center; gap: 28px; height: 56px; padding: 0 var(--gap); border-bottom: 1px solid var(--line); background: var(--ground); position: sticky; top: 0; z-index: 5; flex: none; }
.brand { display: flex; align-items: center; gap: 9px; color: var(--text); font-weight: 650; letter-spacing: -.015em; font-size: 1rem; }
.brand:hover { text-decoration: none; }
.brand svg { display: block; }
.petals { fill: var(--accent); opacity: .9; }
.eye { fill: var(--eye); }
.tabs { display: flex; gap: 2px; }
.tabs a { color: var(--muted); padding: 6px 12px; border-radius: 8px; font-weight: 500; }
.tabs a:hover { color: var(--text); text-decoration: none; }
.tabs a[aria-current] { color: var(--text); background: var(--raised); }
.live { margin-left: auto; display: flex; align-items: center; gap: 8px; color: var(--muted); font-size: .8125rem; }
.live::before { content: ""; width: 8px; height: 8px; border-radius: 50%; background: var(--line-strong); flex: none; }
.live[data-state=live]::before { background: var(--accent); box-shadow: 0 0 0 3px var(--tint); }
.live[data-state=lost], .live[data-state=stale] { color: var(--warn); font-weight: 550; }
.live[data-state=lost]::before, .live[data-state=stale]::before { background: none; border: 2px solid var(--warn); }
.banner { background: var(--warn-tint); color: var(--warn); padding: 10px var(--gap); border-bottom: 1px solid var(--line); font-size: .875rem; }
main { flex: 1; min-height: 0; display: flex; flex-direction: column; }
.empty, .none { color: var(--muted); }
.empty { padding: 40px 16px; text-align: center; }
.none { font-size: .875rem; }

/* Controls */
input, select, button, .button { font: inherit; color: inherit; }
input:not([type=checkbox]):not([type=range]), select {
  background: var(--card); border: 1px solid var(--line-strong); border-radius: 9px; padding: 8px 12px; min-height: 40px; min-width: 0; max-width: 100%;
}
input:hover:not(:focus), select:hover:not(:focus) { border-color: var(--muted); }
input:focus-visible, select:focus-visible { outline-offset: -1px; border-radius: 9px; }
input::placeholder { color: var(--muted); opacity: 1; }
input[type=checkbox] { width: 20px; height: 20px; accent-color: var(--accent); margin: 0; flex: none; }
input[type=search]::-webkit-search-cancel-button { appearance: none; width: 14px; height: 14px; background: currentColor; opacity: .5; clip-path: polygon(10% 0, 50% 40%, 90% 0, 100% 10%, 60% 50%, 100% 90%, 90% 100%, 50% 60%, 10% 100%, 0 90%, 40% 50%, 0 10%); cursor: pointer; }
button, .button {
  display: inline-flex; align-items: center; justify-content: center; background: var(--card); border: 1px solid var(--line-strong); border-radius: 9px;
  padding: 8px 16px; min-height: 40px; font-weight: 520; cursor: pointer; white-space: nowrap;
}
.button { color: var(--text); }
button:hover, .button:hover { background: var(--raised); text-decoration: none; }
button:disabled { opacity: .55; cursor: default; }
.small { min-height: 34px; padding: 4px 12px; font-size: .875rem; }
.quiet { border-color: transparent; background: none; color: var(--muted); }
.quiet[aria-pressed=true] { background: var(--tint); color: var(--accent); }
.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
.main:hover { background: color-mix(in srgb, var(--accent) 88%, var(--text)); }
.danger { color: var(--warn); border-color: color-mix(in srgb, var(--warn) 45%, transparent); }
.danger:hover { background: var(--warn-tint); }
.icon { width: 36px; min-height: 36px; padding: 0; border-color: transparent; background: none; font-size: 1.25rem; line-height: 1; }
.buttons { display: flex; gap: 10px; flex-wrap: wrap; }
.buttons.end { justify-content: flex-end; margin-top: 8px; }
.field { display: flex; align-items: center; gap: 10px; }
.field.tall { flex-direction: column; align-items: stretch; gap: 6px; }
.check { display: flex; align-items: center; gap: 10px; min-height: 36px; }
.check label { flex: 1; cursor: pointer; }
.problem { color: var(--warn); font-size: .875rem; }
.problems { list-style: disc; padding-left: 18px; color: var(--warn); font-size: .8125rem; }
.segments { display: flex; gap: 2px; }
.segments button { border: 0; background: none; min-height: 32px; padding: 3px 10px; font-size: .8125rem; color: var(--muted); gap: 6px; border-radius: 8px; }
.segments button:hover { color: var(--text); }
.segments button[aria-pressed=true] { background: var(--raised); color: var(--text); }
.segments b, h2 b { font-weight: 400; color: var(--muted); }

/* Now */
.now { flex: 1; display: grid; grid-template-columns: minmax(340px, 400px) minmax(0, 1fr); min-height: 0; }
@media (min-width: 821px) {
  body[data-view=now] { height: 100dvh; overflow: hidden; }
  .scroll { overflow-y: auto; overscroll-behavior: contain; }
}
.side { border-right: 1px solid var(--line); min-height: 0; position: relative; }
.finder { position: sticky; top: 0; z-index: 3; background: var(--ground); padding: 16px 16px 8px; display: grid; gap: 8px; }
.searchbox { position: relative; }
.searchbox input { width: 100%; padding-right: 42px; min-height: 44px; border-radius: 11px; font-size: 1rem; }
.searchbox kbd { position: absolute; right: 12px; top: 11px; font: 500 .75rem/20px Inter, system-ui, sans-serif; width: 22px; text-align: center; border: 1px solid var(--line-strong); border-radius: 5px; color: var(--muted); pointer-events: none; background: var(--ground); }
.searchbox input:focus + kbd, .searchbox input:not(:placeholder-shown) + kbd { display: none; }
.finder .segments { margin: 0 -4px; }
.alerts { padding: 4px 16px 8px; display: grid; gap: 8px; max-height: 15.5rem; overflow-y: auto; }
.alert { display: flex; gap: 12px; align-items: center; justify-content: space-between; background: var(--warn-tint); border-radius: var(--radius); padding: 12px 14px; }
.alert a { color: inherit; font-weight: 550; }
.alert small { color: inherit; opacity: .92; }
.rows { position: relative; }
.rows > li { position: absolute; inset: 0 0 auto; contain: layout style paint; }
.row { height: 4.75rem; }
.row a { display: grid; grid-template-columns: 20px minmax(0, 1fr); column-gap: 12px; align-content: center; height: 100%; padding: 0 18px; color: inherit; text-decoration: none; position: relative; }
.row a::after { content: ""; position: absolute; left: 50px; right: 0; bottom: 0; border-bottom: 1px solid var(--line); }
.row a:hover { background: var(--raised); }
.row a:focus-visible { outline-offset: -2px; border-radius: 10px; }
.row .ring { grid-row: 1 / span 3; align-self: center; }
.line { display: flex; justify-content: space-between; gap: 12px; min-width: 0; align-items: baseline; }
.row .name { font-weight: 600; letter-spacing: -.008em; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.seen, .sure { color: var(--muted); font-size: .8125rem; flex: none; }
.where { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-size: .875rem; min-width: 0; }
.row .more { color: var(--muted); margin-left: 8px; font-size: .8125rem; }
.row .strip { grid-column: 2; margin-top: 7px; height: 4px; }
.row.notified .name { color: var(--warn); }
.away .place, .unknown .place, .doubtful .place { color: var(--muted); }
.unknown .place, .doubtful .place { font-style: italic; }
.stale .name, .stale .place { color: var(--muted); }
.stale .seen { font-style: italic; }
.stale .ring .arc { stroke: var(--muted); }
.ring { width: 20px; height: 20px; display: block; flex: none; }
.ring circle { fill: none; stroke-width: 3; }
.ring .track { stroke: var(--line-strong); }
.ring .arc { stroke: var(--accent); stroke-linecap: butt; }
:is(.away, .unknown) > .ring .arc, :is(.away, .unknown) > a > .ring .arc { stroke: none; }
.away > .ring .track, .away > a > .ring .track { stroke-width: 1.5; stroke: var(--muted); }
.unknown > .ring .track, .unknown > a > .ring .track { stroke-width: 1.5; stroke: var(--muted); stroke-dasharray: 2.4 3.5; }
.doubtful > .ring .track, .doubtful > a > .ring .track { stroke-dasharray: 2.4 3.5; stroke-width: 1.5; stroke: var(--muted); }
.strip { display: block; width: 100%; height: 6px; border-radius: 3px; background: var(--raised); overflow: hidden; }
.strip .home { fill: var(--accent); }
.strip .tone1 { opacity: .62; }
.strip .tone2 { opacity: .38; }
.strip .tone3 { opacity: .8; }
.strip .away { fill: var(--muted); opacity: .6; }
.strip .unknown { fill: var(--muted); opacity: .28; }

/* Stage: plan or tiles, and gateways */
.stage { display: flex; flex-direction: column; min-height: 0; min-width: 0; overflow-y: auto; }
.planview { flex: 1; min-height: 340px; display: flex; flex-direction: column; }
.floors { padding: 16px var(--gap) 0; }
.planbox { position: relative; flex: 1; min-height: 300px; margin: 8px; }
.planbox svg, .planbox canvas { position: absolute; inset: 0; width: 100%; height: 100%; display: block; }
.planbox canvas { pointer-events: none; }
.room { fill: var(--floor); stroke: var(--wall); stroke-width: 1.75; stroke-linejoin: round; }
.heated .room { fill: color-mix(in srgb, var(--accent) calc(var(--heat, 0) * 46%), var(--floor)); }
.door { stroke: var(--floor); stroke-width: 5; }
.roomname { fill: var(--muted); font-size: 12px; font-weight: 500; text-anchor: middle; }
.gateway rect { fill: var(--card); stroke: var(--muted); stroke-width: 1.25; }
.gateway circle { fill: var(--muted); }
.gateway path { fill: none; stroke: var(--muted); stroke-width: 1.4; stroke-linecap: round; }
.gateway.down rect, .gateway.down path { stroke: var(--warn); }
.mark { cursor: pointer; transition: opacity .3s; animation: appear .4s; }
.mark.leaving { opacity: 0; }
@keyframes appear { from { opacity: 0; } }
.area { fill: var(--accent); fill-opacity: .024; stroke: var(--accent); stroke-opacity: .15; stroke-width: 1; pointer-events: none; }
.area.likely { stroke-dasharray: 3 4; }
.area.doubtful { stroke-dasharray: 1 5; fill-opacity: 0; }
.pin { transition: transform .35s; }
.dot { fill: var(--accent); stroke: var(--floor); stroke-width: 2; }
.likely .dot { fill: var(--floor); stroke: var(--accent); }
.doubtful .dot { fill: var(--floor); stroke: var(--accent); stroke-dasharray: 2.6 2.2; }
.stale .dot { stroke: var(--muted); fill: var(--floor); }
.area.stale { stroke: var(--muted); fill: none; }
.label { font-size: 12px; font-weight: 500; fill: var(--text); paint-order: stroke; stroke: var(--floor); stroke-width: 3px; stroke-linejoin: round; }
.stale .label { fill: var(--muted); }
.label.crowded { opacity: 0; }
.mark:hover .label { opacity: 1; }
.area.selected { fill-opacity: .1; stroke-opacity: .5; }
.mark.selected .dot { r: 7.5px; }
.mark.selected .label { font-weight: 650; }
.mark.dimmed { opacity: .22; }
.area.dimmed, .chosen .area:not(.selected) { opacity: 0; }
.chosen .mark:not(.selected):not(:hover) { opacity: .3; }
.tiles { flex: 1; display: grid; grid-template-columns: repeat(auto-fill, minmax(230px, 1fr)); align-content: start; gap: 14px; padding: var(--gap); }
.tile { background: var(--card); border: 1px solid var(--line); border-radius: var(--radius); padding: 16px 18px 18px; min-height: 120px; }
.tile h2 { display: flex; justify-content: space-between; margin-bottom: 10px; }
.tile ul { display: flex; flex-wrap: wrap; gap: 4px 6px; margin: 0 -8px; }
.tile.away, .tile.unknown { background: none; border-style: dashed; border-color: var(--line-strong); }
.chip { display: inline-flex; align-items: center; gap: 7px; min-height: 34px; padding: 2px 10px 2px 8px; border-radius: 9px; color: var(--text); border: 0; background: none; font-weight: 450; }
.chip:hover { background: var(--raised); text-decoration: none; }
.chip .ring { width: 16px; height: 16px; }
.chip.doubtful, .chip.unknown, .chip.stale { color: var(--muted); }
.chip.doubtful, .chip.unknown { font-style: italic; }
.more.chip { color: var(--muted); padding: 2px 10px; }
.health { display: grid; grid-template-columns: repeat(auto-fill, minmax(190px, 1fr)); gap: 14px 24px; padding: 16px var(--gap) 20px; border-top: 1px solid var(--line); font-size: .875rem; flex: none; }
.health li { display: flex; gap: 10px; }
.health strong { font-weight: 550; }
.health .id { color: var(--muted); margin-left: 6px; font-size: .8125rem; }
.health p { color: var(--muted); font-size: .8125rem; }
.health [data-state=down] p { color: var(--warn); }
.dot[aria-hidden] { width: 8px; height: 8px; border-radius: 50%; margin-top: 7px; flex: none; background: var(--accent); }
[data-state=down] > .dot { background: none; border: 2px solid var(--warn); }
body:is([data-live=lost], [data-live=stale]) .health .dot { background: none; border: 2px solid var(--muted); }
[data-state=problem] > .dot { background: var(--warn); }

/* One item */
.detail { padding: 14px 20px 40px; display: grid; gap: 26px; align-content: start; }
.detail, .manage, .manage section, .notify, .rules { grid-template-columns: minmax(0, 1fr); }
.detail > div:empty { display: none; }
.back { color: var(--muted); margin-left: -4px; padding: 6px 4px; justify-self: start; }
.detail header { display: flex; align-items: center; gap: 12px; margin-bottom: -22px; }
.detail header h2 { font-size: 1rem; font-weight: 600; color: var(--muted); overflow-wrap: anywhere; }
.big { font-size: 2rem; line-height: 1.15; font-weight: 650; letter-spacing: -.028em; overflow-wrap: anywhere; }
.detail .big.place, .detail:is(.away, .unknown, .doubtful) .big { color: var(--muted); }
.detail:is(.unknown, .doubtful) .big { font-style: italic; font-weight: 550; }
.detail.stale .big { color: var(--muted); }
.detail .ring { width: 22px; height: 22px; }
.detail.away header .arc, .detail.unknown header .arc { stroke: none; }
.detail:is(.unknown, .doubtful) header .track { stroke-dasharray: 2.4 3.5; stroke-width: 1.5; stroke: var(--muted); }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: 6px 18px; font-size: .875rem; }
.facts dt { color: var(--muted); }
.bars { display: grid; gap: 7px; font-size: .875rem; }
.bar-row { display: grid; grid-template-columns: minmax(80px, 30%) 1fr max-content; gap: 12px; align-items: center; }
.bar-row span:first-child { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.bar-row .number { color: var(--muted); min-width: 4ch; text-align: right; }
.bar-track { display: block; height: 6px; border-radius: 3px; background: var(--raised); overflow: hidden; }
.bar-track i { display: block; height: 100%; border-radius: 3px; background: var(--accent); width: 100%; transform: translateX(calc((var(--share, 0) - 1) * 100%)); transition: transform .3s; }
.bar-track.big { height: 10px; border-radius: 5px; }
.daybar { display: flex; align-items: center; gap: 6px; margin-bottom: 12px; }
.timeline .daybar .day { flex: 1; text-align: center; }
.timeline .daybar { margin: 0 -8px 8px; }
.timeline .strip { height: 14px; border-radius: 5px; }
.hours { display: flex; justify-content: space-between; color: var(--muted); font-size: .75rem; font-variant-numeric: tabular-nums; margin-top: 4px; }
.stays { margin-top: 14px; font-size: .875rem; max-height: 320px; overflow-y: auto; }
.stays li { display: grid; grid-template-columns: 52px 1fr max-content; padding: 5px 0; }
.stays .none { display: block; }
.stays .time, .stays .long { color: var(--muted); }
.stays [data-presence=away] span:nth-child(2), .stays [data-presence=unknown] span:nth-child(2) { color: var(--muted); }
.stays [data-presence=unknown] span:nth-child(2) { font-style: italic; }
.head { display: flex; align-items: center; justify-content: space-between; min-height: 36px; margin-bottom: 8px; }
.manage { display: grid; gap: 26px; border-top: 1px solid var(--line); padding-top: 24px; }
.manage section, .notify { display: grid; gap: 10px; }
.rules { display: grid; gap: 10px; padding: 4px 0 4px 30px; }
.rules .field label:first-child { min-width: 76px; color: var(--muted); }
.rules .field :is(input, select) { flex: 1 1 84px; width: 0; }
.rules input[type=time] { padding: 8px 6px; }
.beacon { color: var(--muted); font-size: .8125rem; }

/* Pages */
.page { width: 100%; max-width: 1000px; margin: 0 auto; padding: clamp(20px, 4vw, 44px) var(--gap) 80px; display: grid; gap: 20px; align-content: start; grid-template-columns: minmax(0, 1fr); }
.pagehead { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 12px 24px; margin-bottom: 4px; }
.pagehead label { color: var(--muted); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 16px; padding: 22px 24px 24px; display: grid; gap: 14px; min-width: 0; }
.lead { color: var(--muted); max-width: 62ch; margin-top: -8px; }
.spring { flex: 1; }
.history .card { display: block; }
.history .daybar { margin-bottom: 18px; }
.dayrow { height: 3.25rem; }
.dayrow a, .scrubber { display: grid; grid-template-columns: 160px minmax(0, 1fr) 170px; gap: 20px; align-items: center; color: inherit; text-decoration: none; }
.dayrow a { height: 100%; border-top: 1px solid var(--line); position: relative; }
.dayrow a:hover .name { text-decoration: underline; text-underline-offset: 3px; }
.dayrow .name, .dayrow .place { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.dayrow .name { font-weight: 550; }
.dayrow.none .place { color: var(--muted); }
.dayrow .strip { height: 12px; border-radius: 4px; }
.scrubber { margin-bottom: 8px; }
.scrub { width: 100%; margin: 0; accent-color: var(--accent); height: 28px; display: block; cursor: ew-resize; }
.history .rows::after { content: ""; position: absolute; top: 0; bottom: 0; width: 0; border-left: 1.5px solid var(--text); opacity: .5; pointer-events: none; left: calc(180px + (100% - 370px) * var(--at, 0)); }
.foot { color: var(--muted); font-size: .875rem; }
.nearby { display: grid; }
.nearby li { background: linear-gradient(var(--line), var(--line)) 12px 0 / calc(100% - 24px) 1px no-repeat; display: grid; grid-template-columns: minmax(0, 1.4fr) minmax(0, 1fr) minmax(150px, 1fr) max-content; gap: 18px; align-items: center; padding: 10px 12px; margin: 0 -12px; border-radius: 10px; }
.nearby li:first-child, .nearby .held + li { background: none; }
.nearby .held, .nearby .held:first-child { background: var(--tint); }
.nearby .what strong { display: block; font-weight: 550; }
.nearby code { color: var(--muted); white-space: nowrap; overflow: hidden; text-overflow: ellipsis; display: block; }
.nearby .where { color: var(--muted); font-size: .875rem; }
.level { display: grid; grid-template-columns: 1fr 8ch; gap: 12px; align-items: center; font-size: .875rem; }
.level .number { text-align: right; }
.level.wide { grid-template-columns: 1fr 12ch; }
.inline { display: flex; flex-wrap: wrap; gap: 12px; align-items: center; }
.progress { display: grid; gap: 12px; justify-items: start; }
.progress .bar-track { width: 100%; }
.verdict:not(:empty) { background: var(--tint); border-radius: 10px; padding: 12px 14px; }
.surveyed li { display: flex; justify-content: space-between; align-items: center; gap: 12px; padding: 4px 0; font-size: .875rem; color: var(--muted); }
.surveyed strong { color: var(--text); font-weight: 550; }
input.hidden:focus-visible + label { outline: 2px solid var(--accent); outline-offset: 2px; }
.login { max-width: 340px; width: calc(100% - 40px); margin: 12vh auto; display: grid; gap: 16px; }
.login h1 { margin-bottom: 8px; }

dialog { border: 0; border-radius: 18px; padding: 0; width: min(440px, calc(100vw - 32px)); background: var(--card); color: inherit; box-shadow: var(--shadow), 0 24px 80px #0003; }
dialog::backdrop { background: var(--overlay); }
dialog form { padding: 24px; display: grid; gap: 12px; }
dialog h2 { font-size: 1.1875rem; }
#toasts { position: fixed; left: 50%; bottom: 24px; transform: translateX(-50%); z-index: 9; display: grid; gap: 8px; width: max-content; max-width: calc(100vw - 32px); pointer-events: none; }
.toast { background: var(--text); color: var(--ground); border-radius: 11px; padding: 11px 18px; font-size: .875rem; font-weight: 500; box-shadow: var(--shadow); animation: rise .25s; }
.toast[data-kind=problem] { background: var(--warn); color: var(--ground); }
@keyframes rise { from { opacity: 0; transform: translateY(8px); } }

/* Phones */
@media (max-width: 820px) {
  html { scroll-padding: 130px 0 84px; }
  .bar { gap: 12px; }
  .brand span { display: none; }
  .tabs { position: fixed; inset: auto 0 0; background: var(--ground); border-top: 1px solid var(--line); z-index: 6; padding: 6px max(12px, env(safe-area-inset-right)) calc(6px + env(safe-area-inset-bottom)); justify-content: space-around; }
  .tabs a { flex: 1; text-align: center; padding: 11px 0; }
  body { padding-bottom: calc(60px + env(safe-area-inset-bottom)); }
  #toasts { bottom: 80px; }
  .now { display: flex; flex-direction: column; }
  .side { border: 0; order: 2; display: contents; }
  .listing, .detail { order: 2; }
  .listing { display: contents; }
  .finder { order: 1; top: 56px; }
  .alerts { order: 2; }
  .stage { order: 3; overflow: visible; display: contents; }
  .planview { order: 3; flex: none; height: min(92vw, 56vh); min-height: 260px; }
  .planbox { min-height: 0; }
  .tiles { order: 3; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); padding: 8px 16px; gap: 10px; }
  .tile { min-height: 0; padding: 12px 14px; }
  .rows { order: 4; }
  .listing .empty { order: 4; }
  .health { order: 5; }
  .chosen .finder, .chosen .alerts { display: none; }
  .detail { order: 2; }
  .chosen .planview { order: 1; }
  .chosen .floors { display: none; }
  .rules { padding-left: 0; }
  .card { padding: 18px; border-radius: 14px; }
  .dayrow a { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 2px 12px; align-content: center; }
  .dayrow .strip { grid-row: 2; grid-column: 1 / -1; height: 6px; }
  .dayrow .place { text-align: right; grid-column: 2; grid-row: 1; color: var(--muted); }
  .scrubber { grid-template-columns: minmax(0, 1fr); }
  .scrubber > span { display: none; }
  .history .rows::after { left: calc(100% * var(--at, 0)); }
  .history .daybar { flex-wrap: wrap; }
  .history .daybar input { width: 100%; }
  .nearby li { grid-template-columns: minmax(0, 1fr) max-content; gap: 6px 14px; }
  .nearby .where { grid-row: 2; }
  .nearby .level { grid-column: 1 / -1; grid-row: 3; }
  .nearby button { grid-column: 2; grid-row: 1 / span 2; min-height: 40px; }
  .segments button, .small { min-height: 40px; }
}
@media (pointer: coarse) {
  .segments button, .small, .chip, .icon { min-height: 44px; }
  .segments button { border: solid transparent; border-width: 6px 0; background-clip: padding-box; border-radius: 14px; }
  .icon { width: 44px; }
  kbd { display: none; }
}
@media (prefers-reduced-motion: reduce) { *, *::before, *::after { animation: none !important; transition: none !important; } }
@media (forced-colors: active) { .ring .arc { stroke: Highlight; } .bar-track i, .strip .home { forced-color-adjust: none; } }

/* The plan editor */
.editor { max-width: 1320px; }
.editor .lead { margin: -8px 0 0; }
.editbox { display: grid; grid-template-columns: minmax(0, 1fr) 280px; gap: 24px; align-items: start; }
.drawing { display: grid; gap: 10px; }
.toolbar { display: flex; justify-content: space-between; flex-wrap: wrap; gap: 4px 16px; }
.canvas { position: relative; height: min(62vh, 640px); border: 1px solid var(--line); border-radius: 14px; overflow: hidden; background: var(--ground); }
.canvas svg { position: absolute; inset: 0; width: 100%; height: 100%; touch-action: none; }
.canvas svg[data-tool=room], .canvas svg[data-tool=door], .canvas svg[data-tool=scale] { cursor: crosshair; }
.canvas .room.chosen { stroke: var(--accent); fill: var(--tint); }
.canvas .room.clear { fill-opacity: .3; }
.canvas .door { stroke: var(--card); }
.draft { fill: none; stroke: var(--accent); stroke-width: 2; stroke-dasharray: 5 4; }
.handle { fill: var(--card); stroke: var(--accent); stroke-width: 2; }
.reach { fill: transparent; }
.canvas .gateway .reach { fill: transparent; }
.grip { cursor: grab; outline: none; }
.grip:focus-visible .handle, .grip:focus-visible rect { fill: var(--accent); stroke-width: 3; }
.editpanel, .editpanel section { display: grid; gap: 20px; grid-template-columns: minmax(0, 1fr); }
.editpanel section { gap: 8px; }
.roomrow { display: flex; gap: 8px; align-items: center; }
.roomrow > :first-child, .roomrow select { flex: 1; min-width: 0; width: 0; }
.roomrow .quiet { padding: 4px 6px; }
@media (max-width: 820px) { .editbox { grid-template-columns: minmax(0, 1fr); } .canvas { height: 60vh; } }

"""#,
    "app.js": #"""
// The shell: views by the address, the connection's state, keys that work everywhere.

import { h, setText, announce, toast } from './dom.js';
import { state, items, subscribe, connect, apply } from './store.js';
import { get } from './api.js';
import { when } from './text.js';
import { Now } from './now.js';

const main = document.getElementById('main');
const now = new Now();
const others = { history: () => import('./history.js'), tend: () => import('./tend.js'), plan: () => import('./editor.js') };
let open = null;

function parse() {
  const [view = '', ...rest] = location.hash.replace(/^#\/?/, '').split('/');
  return { view: view || 'now', argument: rest.map(decodeURIComponent).join('/') };
}

async function route() {
  if (state.live === 'login') return;
  let { view, argument } = parse();
  if (view === 'items') view = 'now';
  else if (view === 'now') argument = '';
  else if (!others[view]) { location.replace('#/'); return; }
  for (const link of document.querySelectorAll('.tabs a')) {
    if (link.dataset.view === view || (link.dataset.view === 'tend' && view === 'plan')) link.setAttribute('aria-current', 'page'); else link.removeAttribute('aria-current');
  }
  document.body.dataset.view = view;
  const isOther = open?.name !== view;
  if (view === 'now') {
    document.title = 'Forgetmenot';
    if (isOther) {
      open?.close?.();
      main.replaceChildren(now.element);
      now.attached();
      if (open && !argument) main.focus({ preventScroll: true });
      open = { name: 'now' };
    }
    now.show(argument || null);
    return;
  }
  let module;
  try {
    module = await others[view]();
  } catch {
    // The program was updated while the page was open, or the connection is lost.
    return toast('This view cannot be loaded now. Reload the page.', 'problem');
  }
  if (parse().view !== view) return;
  if (isOther) {
    open?.close?.();
    const page = module.open(argument);
    main.replaceChildren(page.element);
    scrollTo(0, 0);
    const heading = page.element.querySelector('h1');
    if (heading) {
      heading.tabIndex = -1;
      if (open) heading.focus({ preventScroll: true });
      document.title = `${heading.textContent} · Forgetmenot`;
    }
    page.attached?.();
    open = { name: view, close: page.close };
  }
}

const words = {
  connecting: 'Connecting', live: 'Live', login: 'Log in',
  lost: () => `Connection lost ${when(state.liveSince)}, trying again`,
};

function showLive() {
  const site = state.site;
  const element = document.getElementById('live');
  let [kind, text] = [state.live, words[state.live]];
  if (typeof text === 'function') text = text();
  if (kind === 'live' && site?.broker_connected === false) [kind, text] = ['stale', 'No connection to the broker'];
  else if (kind === 'live' && site?.aggregator_alive === false) [kind, text] = ['stale', 'The aggregator does not response'];
  const before = element.dataset.state;
  element.dataset.state = kind;
  document.body.dataset.live = kind;
  setText(document.getElementById('live-text'), text);
  if (before !== kind && before !== 'connecting') announce(kind === 'live' ? 'The page is live again.' : `${text}.`);
}

function showProblems() {
  const problems = state.site?.problems ?? [];
  const key = JSON.stringify(problems);
  const place = document.getElementById('problems');
  if (place.key === key) return;
  place.key = key;
  place.replaceChildren(...(problems.length ? [h('section', { class: 'banner', 'aria-label': 'Problems' }, h('ul', { role: 'list' }, problems.slice(0, 5).map((problem) => h('li', {}, problem))))] : []));
}

subscribe((changes) => {
  if (changes.site || changes.live) {
    showLive();
    showProblems();
  }
});

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isTyping = event.target.closest?.('input:not([type=checkbox]):not([type=range]), textarea, select, dialog');
  if (event.key === '/' && !isTyping) {
    event.preventDefault();
    if (location.hash.replace(/^#\/?/, '')) location.hash = '#/';
    requestAnimationFrame(() => requestAnimationFrame(() => { const field = document.getElementById('search'); field?.focus(); field?.select(); }));
  }
  if (event.key === 'Escape' && !isTyping && parse().view === 'items') location.hash = '#/';
});

addEventListener('hashchange', route);
addEventListener('forgetmenot:login', () => login());

async function login() {
  if (state.live === 'login') return;
  state.live = 'login';
  showLive();
  open?.close?.();
  open = null;
  const { form } = await import('./login.js');
  main.replaceChildren(form(() => start()));
  main.querySelector('input').focus();
}

async function start() {
  state.live = 'connecting';
  state.liveSince = Date.now();
  document.querySelector('.logout')?.remove();
  try {
    const site = await get('site');
    if (site.login_required && !site.role) return login();
    apply('site', site);
    if (site.login_required) {
      document.querySelector('.bar').append(h('button', { type: 'button', class: 'small quiet logout', onclick: async () => {
        const { logout } = await import('./login.js');
        await logout();
      } }, 'Log out'));
    }
  } catch { /* The stream tries again and brings the site. */ }
  route();
  connect();
}

// For the browser tests.
window.forgetmenot = { state, items, plan: now.plan };
start();

"""#,
    "detail.js": #"""
// One item: where it is, what it did, when to notify, and its name.

import { h, setText, setAttribute, ring, setRing, toast, dialog } from './dom.js';
import { items, state, isStale, isAdmin, gatewayName, apply, history, staysByItem, DAY } from './store.js';
import { certainty, place, percent, metres, when, ago, day, time, duration, startOfDay, addDays } from './text.js';
import { call, get, query } from './api.js';
import { strip, drawStrip } from './strip.js';

const path = (id) => `items/${encodeURIComponent(id)}`;

export async function acknowledge(id) {
  const item = items.get(id);
  try {
    await call('POST', `${path(id)}/acknowledge`);
    toast(`The notification of ${item?.name ?? id} is acknowledged.`);
    if (items.has(id)) apply('item', { ...items.get(id), notification: null });
  } catch (problem) {
    toast(problem.message, 'problem');
  }
}

export class Detail {
  constructor({ onHeat }) {
    this.onHeat = onHeat;
    this.id = null;
    this.element = h('article', { class: 'detail', hidden: true });
  }

  open(id) {
    if (this.id === id && !this.element.hidden) return;
    this.id = id;
    this.day = startOfDay(Date.now());
    this.build();
    this.element.hidden = false;
    this.title.focus({ preventScroll: true });
    scrollTo(0, 0);
  }

  close() {
    this.id = null;
    this.element.hidden = true;
    this.element.replaceChildren();
  }

  build() {
    const back = h('a', { class: 'back', href: '#/' }, h('span', { 'aria-hidden': 'true' }, '‹ '), 'All items');
    this.ring = ring();
    this.title = h('h2', { tabindex: -1 });
    this.place = h('p', { class: 'big' });
    this.facts = h('dl', { class: 'facts' });
    this.alert = h('div');
    this.rooms = h('div', { class: 'bars' });
    this.built = false;
    this.timeline = this.#timeline();
    this.spent = this.#spent();
    this.manage = h('div', { class: 'manage' });
    this.element.replaceChildren(back, h('header', {}, this.ring, this.title), this.place, this.alert, this.rooms, this.facts, this.timeline, this.spent, this.manage);
    this.refresh();
  }

  age() { if (this.id) this.refresh(); }

  refresh() {
    if (!this.id) return;
    const item = items.get(this.id);
    if (!item) {
      setText(this.title, state.loaded ? 'There is no such item' : 'One moment');
      setText(this.place, '');
      this.facts.replaceChildren();
      for (const part of [this.rooms, this.alert, this.manage]) part.replaceChildren();
      this.timeline.hidden = this.spent.hidden = true;
      return;
    }
    this.timeline.hidden = this.spent.hidden = false;
    setAttribute(this.element, 'class', `detail ${certainty(item)}${isStale(item) ? ' stale' : ''}`);
    setRing(this.ring, item);
    setText(this.title, item.name);
    setText(this.place, place(item));
    document.title = `${item.name} · Forgetmenot`;
    const rows = [];
    if (isStale(item)) rows.push(['As of', `${when(item.last_seen_at ?? state.liveSince)}, because ${state.live === 'live' ? 'the aggregator does not response' : 'the connection is lost'}`]);
    if (item.error) rows.push(['Problem', item.error]);
    const rooms = item.presence === 'home' ? Object.entries(item.rooms ?? {}).sort((a, b) => b[1] - a[1]).slice(0, 4) : [];
    const hasBars = rooms.length > 1 && rooms[0][1] < 0.9;
    if (item.presence === 'home' && item.confidence != null && !hasBars) rows.push(['Confidence', percent(item.confidence)]);
    if (item.presence === 'home' && item.gateway) {
      const isPlaced = item.x_m != null;
      rows.push(['Best received', `in ${gatewayName(item.gateway)}${item.proximity && item.proximity !== 'unknown' ? `, ${item.proximity}` : ''}${!isPlaced && item.accuracy_m != null ? `, about ${metres(item.accuracy_m)}` : ''}`]);
      if (isPlaced && item.accuracy_m != null) rows.push(['Position', `within ${metres(item.accuracy_m)}, two times in three`]);
    }
    if (item.since) rows.push([item.presence === 'away' ? 'Away since' : 'There since', when(item.since)]);
    rows.push(['Last seen', item.received ? 'now' : ago(item.last_seen_at)]);
    const key = JSON.stringify(rows);
    if (key !== this.factKey || !this.facts.childElementCount) {
      this.factKey = key;
      this.facts.replaceChildren(...rows.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
    }
    this.rooms.replaceChildren(...(hasBars ? rooms.map(([room, share]) => bar(room, share, percent(share))) : []));
    const notification = item.notification;
    const alertKey = JSON.stringify([notification, isAdmin()]);
    if (alertKey !== this.alertKey || (notification && !this.alert.childElementCount)) {
      this.alertKey = alertKey;
      this.alert.replaceChildren(...(notification ? [h('div', { class: 'alert' }, h('p', {}, notification.message, h('small', {}, `sent ${notification.count === 1 ? 'once' : `${notification.count} times`}`)),
        isAdmin() && h('button', { type: 'button', class: 'small', onclick: () => acknowledge(item.item) }, 'Acknowledge'))] : []));
    }
    if (!this.built || this.manageKey !== JSON.stringify([item.name, item.notify, item.configured, isAdmin()])) this.#manage(item);
  }

  // The stays of one day, with buttons for the day before and after.
  #timeline() {
    const name = h('h3', { class: 'day' });
    const picture = strip();
    const list = h('ol', { class: 'stays', role: 'list' });
    const next = h('button', { type: 'button', class: 'icon', 'aria-label': 'Next day' }, '›');
    const show = async () => {
      const [from, id] = [this.day, this.id];
      const to = addDays(from, 1);
      setText(name, day(from));
      next.disabled = to > Date.now();
      try {
        const rows = staysByItem(await history({ item: id, from: new Date(from).toISOString(), to: new Date(to).toISOString() })).get(id) ?? [];
        if (from !== this.day || id !== this.id) return;
        drawStrip(picture, rows, from, to);
        list.replaceChildren(...(rows.length ? rows.toReversed().map((stay) => h('li', { 'data-presence': stay.presence },
          h('span', { class: 'time' }, stay.from < from ? '00:00' : time(stay.from)),
          h('span', {}, stay.presence === 'home' ? stay.room ?? 'Home' : stay.presence === 'away' ? 'Away' : 'Unknown'),
          h('span', { class: 'long' }, duration((Math.min(stay.to ?? Date.now(), to) - Math.max(stay.from, from)) / 1000)))) : [h('li', { class: 'none' }, 'Nothing is stored for this day.')]));
      } catch (problem) {
        list.replaceChildren(h('li', { class: 'none' }, problem.message));
      }
    };
    const move = (days) => { this.day = addDays(this.day, days); show(); };
    next.addEventListener('click', () => move(1));
    show();
    return h('section', { class: 'timeline', 'aria-label': 'Timeline' },
      h('div', { class: 'daybar' }, h('button', { type: 'button', class: 'icon', 'aria-label': 'Previous day', onclick: () => move(-1) }, '‹'), name, next),
      picture, h('div', { class: 'hours', 'aria-hidden': 'true' }, ['00', '06', '12', '18', '24'].map((hour) => h('span', {}, hour))), list);
  }

  // Time per room of the last week, and the same on the plan.
  #spent() {
    const bars = h('div', { class: 'bars' });
    const button = h('button', { type: 'button', class: 'small quiet', 'aria-pressed': 'false', hidden: true }, 'Show on the plan');
    let seconds = null;
    button.addEventListener('click', () => {
      const isOn = button.getAttribute('aria-pressed') !== 'true';
      button.setAttribute('aria-pressed', String(isOn));
      this.onHeat(isOn ? seconds : null);
    });
    const id = this.id;
    get(`history/rooms?${query({ item: id, from: new Date(Date.now() - 7 * DAY).toISOString() })}`).then((response) => {
      if (id !== this.id) return;
      seconds = secondsPerRoom(response);
      const rows = Object.entries(seconds).sort((a, b) => b[1] - a[1]).slice(0, 8);
      const most = rows[0]?.[1] ?? 1;
      bars.replaceChildren(...(rows.length ? rows.map(([room, value]) => bar(room, value / most, duration(value))) : [h('p', { class: 'none' }, 'Nothing is stored yet.')]));
      button.hidden = !rows.length || !state.site?.plan;
    }).catch((problem) => bars.replaceChildren(h('p', { class: 'none' }, problem.message)));
    return h('section', { class: 'spent', 'aria-label': 'Time per room' }, h('div', { class: 'head' }, h('h3', {}, 'Last seven days'), button), bars);
  }

  #manage(item) {
    this.built = true;
    this.manageKey = JSON.stringify([item.name, item.notify, item.configured, isAdmin()]);
    if (this.manage.contains(document.activeElement) && this.manage.childElementCount && !this.saving) return;
    if (!isAdmin()) return this.manage.replaceChildren();
    const beacon = h('p', { class: 'beacon' }, h('code', {}, item.uuid), ` · major ${item.major} · minor ${item.minor}`);
    if (item.configured) {
      return this.manage.replaceChildren(h('section', {}, h('h3', {}, 'Item'), beacon,
        h('p', { class: 'none' }, 'This item stands in aggregator.toml. Change its name and its notifications there.')));
    }
    this.manage.replaceChildren(
      this.#rules(item),
      h('section', {}, h('h3', {}, 'Item'), beacon, h('div', { class: 'buttons' },
        h('button', { type: 'button', onclick: () => this.rename(item.item) }, 'Rename'),
        h('button', { type: 'button', class: 'danger', onclick: () => this.remove(item.item) }, 'Remove'))));
  }

  async rename(id) {
    const old = items.get(id).name;
    const name = await dialog('Rename', (close) => {
      const input = h('input', { id: 'new-name', value: old, required: true, maxlength: 120, autocomplete: 'off', autofocus: true });
      const form = h('form', { onsubmit: (event) => { event.preventDefault(); if (input.value.trim()) close(input.value.trim()); } },
        h('h2', {}, `Rename ${old}`), h('label', { for: 'new-name' }, 'Name'), input,
        h('div', { class: 'buttons end' }, h('button', { type: 'button', onclick: () => close() }, 'Cancel'), h('button', { class: 'main' }, 'Rename')));
      queueMicrotask(() => input.select());
      return form;
    });
    if (!name || name === old) return;
    await this.#do(async () => {
      await call('PATCH', path(id), { name });
      if (items.has(id)) apply('item', { ...items.get(id), name });
      toast(`${old} is now called ${name}.`);
    });
  }

  async remove(id) {
    const { name } = items.get(id);
    const response = await dialog('Remove', (close) => {
      const past = h('input', { type: 'checkbox', id: 'past' });
      return h('form', { onsubmit: (event) => { event.preventDefault(); close({ past: past.checked }); } },
        h('h2', {}, `Remove ${name}?`), h('p', {}, 'The gateways stop watching its beacon. You can add the item again later.'),
        h('p', { class: 'check' }, past, h('label', { for: 'past' }, 'Delete its history, too')),
        h('div', { class: 'buttons end' }, h('button', { type: 'button', autofocus: true, onclick: () => close() }, 'Cancel'), h('button', { class: 'danger' }, 'Remove')));
    });
    if (!response) return;
    await this.#do(async () => {
      await call('DELETE', path(id) + (response.past ? '?past=true' : ''));
      apply('item_removed', { item: id });
      toast(`${name} is removed.`);
      location.hash = '#/';
    });
  }

  async #do(work) {
    try { await work(); } catch (problem) { toast(problem.message, 'problem'); }
  }

  #rules(item) {
    const rules = { left: false, returned: false, ...item.notify };
    const field = (id, label, control) => h('p', { class: 'field' }, h('label', { for: id }, label), control);
    const check = (id, label, on) => {
      const box = h('input', { type: 'checkbox', id, checked: on });
      return [box, h('p', { class: 'check' }, box, h('label', { for: id }, label))];
    };
    const [left, leftRow] = check('r-left', 'When it leaves', rules.left);
    const [returned, returnedRow] = check('r-returned', 'When it returns', rules.returned);
    const choice = (id, options, value) => {
      const all = options.some(([key]) => key === value) ? options : [...options, [value, duration(value)]].sort((a, b) => (a[0] ?? Infinity) - (b[0] ?? Infinity));
      return h('select', { id }, all.map(([key, label]) => h('option', { value: String(key), selected: key === value }, label)));
    };
    const after = choice('r-after', [[0, 'at once'], [30, 'after 30 s'], [60, 'after 1 min'], [300, 'after 5 min'], [900, 'after 15 min']], rules.after_s ?? 30);
    const repeat = choice('r-repeat', [[null, 'never'], [60, 'every minute'], [300, 'every 5 min'], [900, 'every 15 min'], [3600, 'every hour']], rules.left || rules.returned ? rules.repeat_s ?? null : 300);
    const until = choice('r-until', [[600, 'for 10 min'], [3600, 'for 1 h'], [14_400, 'for 4 h'], [86_400, 'for a day'], [null, 'without end']], rules.left || rules.returned ? rules.until_s ?? null : 3600);
    const from = h('input', { type: 'time', id: 'r-from', value: rules.from ?? '' });
    const to = h('input', { type: 'time', id: 'r-to', value: rules.to ?? '' });
    const text = h('input', { id: 'r-text', value: rules.left_text ?? '', placeholder: `${item.name} has left.`, maxlength: 200 });
    const more = h('div', { class: 'rules' }, field('r-after', 'Notify', after), field('r-repeat', 'Repeat', repeat), field('r-until', 'Repeat', until),
      h('p', { class: 'field' }, h('label', { for: 'r-from' }, 'Only from'), from, h('label', { for: 'r-to' }, 'to'), to), field('r-text', 'Message', text));
    more.children[2].firstChild.textContent = 'Keep on';
    const save = h('button', { class: 'main small', disabled: true }, 'Save');
    const sync = () => { more.hidden = !left.checked && !returned.checked; };
    const form = h('form', { class: 'notify', oninput: () => { sync(); save.disabled = false; }, onsubmit: (event) => {
      event.preventDefault();
      const number = (select) => (select.value === 'null' ? null : Number(select.value));
      const notify = left.checked || returned.checked
        ? { left: left.checked, returned: returned.checked, after_s: number(after), repeat_s: number(repeat), until_s: number(until), from: from.value && to.value ? from.value : null, to: from.value && to.value ? to.value : null, left_text: text.value.trim() || null }
        : null;
      this.#do(async () => {
        await call('PATCH', path(item.item), { notify });
        this.saving = true;
        if (items.has(item.item)) apply('item', { ...items.get(item.item), notify: notify && Object.fromEntries(Object.entries(notify).filter(([, value]) => value !== null)) });
        save.disabled = true;
        toast('The notification rules are saved.');
      });
    } }, h('h3', {}, 'Notify me'), leftRow, returnedRow, more, h('div', { class: 'buttons' }, save));
    this.saving = false;
    sync();
    return form;
  }
}

export function secondsPerRoom(response) {
  const rooms = response.rooms ?? response;
  if (!Array.isArray(rooms)) return Object.fromEntries(Object.entries(rooms).filter(([, value]) => value > 0));
  const seconds = {};
  for (const row of rooms) if (row.room && row.seconds > 0 && (row.presence ?? 'home') === 'home') seconds[row.room] = (seconds[row.room] ?? 0) + row.seconds;
  return seconds;
}

export function bar(name, share, text) {
  const fill = h('i', { 'aria-hidden': 'true' });
  fill.style.setProperty('--share', Math.max(0.01, Math.min(1, share)).toFixed(3));
  return h('p', { class: 'bar-row' }, h('span', {}, name), h('span', { class: 'bar-track' }, fill), h('span', { class: 'number' }, text));
}

"""#,
    "dom.js": #"""
// Elements without a framework: h() makes HTML, s() makes SVG.

const SVG = 'http://www.w3.org/2000/svg';

function fill(element, properties, children) {
  for (const [key, value] of Object.entries(properties ?? {})) {
    if (value == null || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (key === 'value' || key === 'checked' || key === 'disabled') element[key] = value;
    else element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child != null && child !== false));
  return element;
}

export const h = (tag, properties, ...children) => fill(document.createElement(tag), properties, children);
export const s = (tag, properties, ...children) => fill(document.createElementNS(SVG, tag), properties, children);

// Writes only what differs, so that nothing is laid out again without need.
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
export function setAttribute(element, name, value) {
  if (value == null || value === false) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

export const calm = matchMedia('(prefers-reduced-motion: reduce)');

// A sentence for screen readers. The last of several sentences within a second counts.
let waiting;
export function announce(sentence) {
  clearTimeout(waiting);
  waiting = setTimeout(() => setText(document.getElementById('announce'), sentence), 700);
}

export function toast(sentence, kind = 'done') {
  const shown = h('p', { class: 'toast', 'data-kind': kind }, sentence);
  const place = document.getElementById('toasts');
  place.append(shown);
  while (place.children.length > 3) place.firstChild.remove();
  setTimeout(() => shown.remove(), kind === 'done' ? 5000 : 12000);
}

// A dialog that removes itself. `build(close)` returns its content; the promise has what close() was given, or undefined after Escape.
export function dialog(label, build) {
  return new Promise((resolve) => {
    let response;
    const before = document.activeElement;
    const box = h('dialog', { 'aria-label': label });
    const close = (value) => { response = value; box.close(); };
    box.append(build(close));
    box.addEventListener('click', (event) => { if (event.target === box) close(); });
    box.addEventListener('close', () => {
      box.remove();
      if (before?.isConnected) before.focus();
      resolve(response);
    });
    document.body.append(box);
    box.showModal();
  });
}

// The ring in front of an item: its arc is the confidence. Dashed: unknown. A thin empty ring: away.
export function ring() {
  return s('svg', { class: 'ring', viewBox: '0 0 20 20', 'aria-hidden': 'true' },
    s('circle', { class: 'track', cx: 10, cy: 10, r: 7.5 }),
    s('circle', { class: 'arc', cx: 10, cy: 10, r: 7.5, pathLength: 100, transform: 'rotate(-90 10 10)' }));
}
export function setRing(svg, item) {
  const share = item.presence === 'home' ? Math.max(0.04, item.confidence ?? 0.04) : 0;
  setAttribute(svg.lastChild, 'stroke-dasharray', `${Math.round(share * 100)} 100`);
}

"""#,
    "editor.js": #"""
// The plan editor: rooms drawn over a picture, doors, gateways dragged into place. The picture stays in the browser; it only helps to draw.

import { h, s, setText, toast, dialog, announce } from './dom.js';
import { state, gateways, subscribe } from './store.js';
import { call } from './api.js';
import { bounds, doorLine, inside, labelPoint } from './plan.js';

const STEP = 0.05;
const SNAP = 11;
const UNDO = 100;
const round = (value) => Math.round(value / STEP) * STEP;
const tidy = (value) => Number(value.toFixed(2));
const text = (value) => JSON.stringify(String(value));

// The tables of aggregator.toml for a plan.
export function toml(plan, roomOf) {
  const point = ([x, y]) => `[${tidy(x).toFixed(2)}, ${tidy(y).toFixed(2)}]`;
  const tables = [];
  for (const { floor, rooms } of plan.floors) {
    for (const room of rooms) tables.push(`[[room]]\nname = ${text(room.name)}\nfloor = ${floor}\npolygon_m = [${room.polygon_m.map(point).join(', ')}]`);
  }
  for (const door of plan.doors) tables.push(`[[door]]\nbetween = [${door.between.map(text).join(', ')}]${door.at_m ? `\nat_m = ${point(door.at_m)}` : ''}`);
  for (const one of plan.gateways) {
    const room = roomOf(one.id);
    tables.push(`[[gateway]]\nid = ${text(one.id)}${room ? `\nroom = ${text(room)}` : ''}\nposition_m = ${point([one.x_m, one.y_m])}\nfloor = ${one.floor ?? 0}`);
  }
  return `${tables.join('\n\n')}\n`;
}

const middle = (polygon) => polygon.reduce(([x, y], [a, b]) => [x + a / polygon.length, y + b / polygon.length], [0, 0]);

export function open() {
  let plan = structuredClone(state.site?.plan ?? { floors: [{ floor: 0, rooms: [] }], doors: [], gateways: [] });
  if (!plan.floors.length) plan.floors.push({ floor: 0, rooms: [] });
  let floor = plan.floors.some((one) => one.floor === 0) ? 0 : plan.floors[0].floor;
  let tool = 'move';
  let chosen = null;
  let draft = [];
  let marks = [];
  let dragging = null;
  let isChanged = false;
  const past = [];
  const pictures = new Map();
  let view = { left: -1, top: 9, scale: 60 };

  const rooms = () => plan.floors.find((one) => one.floor === floor).rooms;
  const doors = () => plan.doors.filter((door) => (door.floor ?? 0) === floor);
  const placed = () => plan.gateways.filter((one) => (one.floor ?? 0) === floor);
  const remember = () => {
    const now = JSON.stringify(plan);
    if (past.at(-1) !== now) past.push(now);
    if (past.length > UNDO) past.shift();
    isChanged = true;
  };

  const svg = s('svg', { class: 'plan', role: 'group', 'aria-label': 'Plan to edit' });
  const box = h('div', { class: 'canvas' }, svg);
  const hint = h('p', { class: 'none', role: 'status' });
  const panel = h('div', { class: 'editpanel' });
  const file = h('input', { type: 'file', id: 'picture', accept: 'image/*', class: 'hidden', onchange: () => choosePicture(file.files[0]) });

  const pixel = ([x, y]) => [(x - view.left) * view.scale, (view.top - y) * view.scale];
  const metre = (x, y) => [x / view.scale + view.left, view.top - y / view.scale];
  const place = (event) => {
    const { left, top } = svg.getBoundingClientRect();
    return metre(event.clientX - left, event.clientY - top);
  };

  function fit() {
    const { width, height } = box.getBoundingClientRect();
    if (!width) return;
    const edge = bounds({ floors: plan.floors, gateways: plan.gateways });
    view.scale = Math.min((width - 60) / (edge.right - edge.left), (height - 60) / (edge.top - edge.bottom));
    view.left = edge.left - (width / view.scale - (edge.right - edge.left)) / 2;
    view.top = edge.top + (height / view.scale - (edge.top - edge.bottom)) / 2;
    draw();
  }

  // Corners attract each other, so that rooms touch; otherwise the grid of 5 cm counts, and the lines of the corner before.
  function snap([x, y], { but, before } = {}) {
    const near = SNAP / view.scale;
    for (const room of rooms()) {
      for (const corner of room.polygon_m) if (corner !== but && Math.hypot(corner[0] - x, corner[1] - y) < near) return [...corner];
    }
    let [sx, sy] = [round(x), round(y)];
    for (const room of rooms()) {
      for (const corner of room.polygon_m) {
        if (corner === but) continue;
        if (Math.abs(corner[0] - x) < near / 2) sx = corner[0];
        if (Math.abs(corner[1] - y) < near / 2) sy = corner[1];
      }
    }
    if (before && Math.abs(before[0] - x) < near) sx = before[0];
    if (before && Math.abs(before[1] - y) < near) sy = before[1];
    return [tidy(sx), tidy(sy)];
  }

  const hints = {
    move: 'Drag corners, doors and gateways. With the keyboard: Tab to one of them, then the arrow keys; Delete removes it.',
    room: 'Click the corners of a room, one after the other. Click the first corner or press Enter to close it.',
    door: 'Click a wall between two rooms.',
    scale: 'Click two points of the picture whose distance you know.',
  };

  function draw() {
    const { width, height } = box.getBoundingClientRect();
    svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    const focused = document.activeElement?.dataset?.handle;
    const parts = [];
    const picture = pictures.get(floor);
    if (picture) {
      const [x, y] = pixel([picture.x, picture.y]);
      parts.push(s('image', { href: picture.url, x, y, width: picture.width * view.scale, height: picture.width * picture.ratio * view.scale, opacity: 0.55, preserveAspectRatio: 'none' }));
    }
    const points = (polygon) => polygon.map((corner) => pixel(corner).map((value) => value.toFixed(1)).join()).join(' ');
    for (const room of rooms()) parts.push(s('polygon', { class: `room${room === chosen ? ' chosen' : ''}${picture ? ' clear' : ''}`, points: points(room.polygon_m) }));
    for (const door of doors()) {
      const line = doorLine(door, rooms());
      if (!line) continue;
      const [[x1, y1], [x2, y2]] = line.map(pixel);
      parts.push(s('line', { class: 'door', x1, y1, x2, y2 }));
    }
    for (const room of rooms()) {
      const [x, y] = pixel(labelPoint(room.polygon_m, 18 / view.scale, placed(), 70 / view.scale));
      parts.push(s('text', { class: 'roomname', x, y: y + 4 }, room.name));
    }
    if (draft.length) parts.push(s('polyline', { class: 'draft', points: points(draft) }));
    for (const corner of draft) { const [cx, cy] = pixel(corner); parts.push(s('circle', { class: 'handle', cx, cy, r: 5 })); }
    for (const mark of marks) { const [cx, cy] = pixel(mark); parts.push(s('circle', { class: 'handle', cx, cy, r: 5 })); }
    if (tool === 'move') {
      const handle = (key, at, label, shape) => {
        const [x, y] = pixel(at);
        const group = s('g', { class: 'grip', transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`, tabindex: 0, role: 'button', 'aria-label': `${label}, ${tidy(at[0])} m, ${tidy(at[1])} m`, 'data-handle': key }, s('circle', { class: 'reach', r: 16 }), shape);
        parts.push(group);
      };
      rooms().forEach((room, number) => {
        if (chosen && room !== chosen) return;
        room.polygon_m.forEach((corner, index) => handle(`corner ${number} ${index}`, corner, `Corner ${index + 1} of ${room.name}`, s('circle', { class: 'handle', r: 5 })));
      });
      doors().forEach((door) => { if (door.at_m) handle(`door ${plan.doors.indexOf(door)}`, door.at_m, `Door between ${door.between.join(' and ')}`, s('rect', { class: 'handle', x: -5, y: -5, width: 10, height: 10, rx: 2 })); });
    }
    for (const one of placed()) {
      const [x, y] = pixel([one.x_m, one.y_m]);
      const shape = [s('circle', { class: 'reach', r: 16 }), s('rect', { x: -7, y: -7, width: 14, height: 14, rx: 4 }), s('circle', { r: 2.2 }), s('text', { class: 'label', x: 12, y: 4 }, gateways.get(one.id)?.room ?? one.id)];
      parts.push(s('g', { class: 'gateway grip', transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`, ...(tool === 'move' ? { tabindex: 0, role: 'button', 'aria-label': `Gateway ${one.id}, ${tidy(one.x_m)} m, ${tidy(one.y_m)} m`, 'data-handle': `gateway ${plan.gateways.indexOf(one)}` } : {}) }, shape));
    }
    svg.replaceChildren(...parts);
    if (focused) svg.querySelector(`[data-handle="${focused}"]`)?.focus({ preventScroll: true });
    setText(hint, hints[tool]);
    svg.dataset.tool = tool;
  }

  // What a handle moves: reads and writes its position.
  function grip(key) {
    const [kind, a, b] = key.split(' ');
    if (kind === 'corner') {
      const room = rooms()[a];
      // A corner that several rooms share moves with all of them.
      const corner = room.polygon_m[b];
      const shared = rooms().flatMap((other) => other.polygon_m.filter((one) => one[0] === corner[0] && one[1] === corner[1]));
      return { at: corner, but: corner, set: ([x, y]) => { for (const one of shared) [one[0], one[1]] = [x, y]; }, remove() { if (room.polygon_m.length > 3) room.polygon_m.splice(b, 1); else toast('A room has at least three corners.', 'problem'); } };
    }
    if (kind === 'door') {
      const door = plan.doors[a];
      return { at: door.at_m, set: (at) => { door.at_m = wall(at, door.between)?.at ?? door.at_m; }, remove() { plan.doors.splice(a, 1); } };
    }
    const one = plan.gateways[a];
    return { at: [one.x_m, one.y_m], set: ([x, y]) => { one.x_m = x; one.y_m = y; }, remove() { plan.gateways.splice(a, 1); } };
  }

  // The nearest point of a wall that two rooms share.
  function wall([x, y], between) {
    let best = null;
    const all = rooms();
    for (const room of all) {
      if (between && !between.includes(room.name)) continue;
      room.polygon_m.forEach(([ax, ay], index) => {
        const [bx, by] = room.polygon_m[(index + 1) % room.polygon_m.length];
        const length = Math.hypot(bx - ax, by - ay) || 1;
        const along = Math.max(0.3, Math.min(length - 0.3, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length));
        const at = [ax + ((bx - ax) * along) / length, ay + ((by - ay) * along) / length];
        const [nx, ny] = [(-(by - ay) / length) * 0.15, ((bx - ax) / length) * 0.15];
        const sides = [[at[0] + nx, at[1] + ny], [at[0] - nx, at[1] - ny]].map((side) => all.find((one) => inside(side, one.polygon_m))?.name);
        if (!sides[0] || !sides[1] || sides[0] === sides[1] || (between && !sides.every((side) => between.includes(side)))) return;
        const distance = Math.hypot(at[0] - x, at[1] - y);
        if (!best || distance < best.distance) best = { distance, at: at.map(tidy), between: sides };
      });
    }
    return best;
  }

  function addDoor(found) {
    if (!found || found.distance > 0.8) return toast('No wall between two rooms is near.', 'problem');
    remember();
    plan.doors.push({ between: found.between, at_m: found.at, floor });
    announce(`A door between ${found.between.join(' and ')}.`);
    refresh();
  }

  function closeRoom() {
    if (draft.length < 3) { draft = []; return draw(); }
    remember();
    const free = [...new Set([...(state.site?.rooms ?? []), ...[...gateways.values()].map((one) => one.room)])].find((name) => name && !plan.floors.some((one) => one.rooms.some((room) => room.name === name)));
    const room = { name: free ?? `Room ${plan.floors.reduce((sum, one) => sum + one.rooms.length, 1)}`, polygon_m: draft };
    rooms().push(room);
    draft = [];
    chosen = room;
    use('move');
    panel.querySelector('.roomrow.chosen input')?.select();
  }

  svg.addEventListener('pointerdown', (event) => {
    if (event.button) return;
    const at = place(event);
    const key = event.target.closest('[data-handle]')?.dataset.handle;
    if (tool === 'room') {
      const corner = snap(at, { before: draft.at(-1) });
      if (draft.length > 2 && Math.hypot(draft[0][0] - corner[0], draft[0][1] - corner[1]) < SNAP / view.scale) return closeRoom();
      draft.push(corner);
      return draw();
    }
    if (tool === 'door') return addDoor(wall(at));
    if (tool === 'scale') {
      marks.push(at);
      draw();
      if (marks.length === 2) measure();
      return;
    }
    event.preventDefault();
    svg.setPointerCapture(event.pointerId);
    if (key) {
      remember();
      dragging = { grip: grip(key) };
      svg.querySelector(`[data-handle="${key}"]`)?.focus({ preventScroll: true });
    } else {
      const room = rooms().findLast((one) => inside(at, one.polygon_m)) ?? null;
      if (room !== chosen) { chosen = room; refresh(); }
      dragging = { from: [event.clientX, event.clientY], left: view.left, top: view.top };
    }
  });
  // A click on the drawing takes the focus from nothing, least of all from a dialog that it opens.
  svg.addEventListener('mousedown', (event) => event.preventDefault());
  svg.addEventListener('pointermove', (event) => {
    if (!dragging) return;
    if (dragging.grip) dragging.grip.set(dragging.grip.but ? snap(place(event), dragging.grip) : place(event).map((value) => tidy(round(value))));
    else {
      view.left = dragging.left - (event.clientX - dragging.from[0]) / view.scale;
      view.top = dragging.top + (event.clientY - dragging.from[1]) / view.scale;
    }
    draw();
  });
  for (const end of ['pointerup', 'pointercancel']) svg.addEventListener(end, () => { dragging = null; });
  svg.addEventListener('wheel', (event) => {
    event.preventDefault();
    const { left, top } = svg.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY / 500), event.clientX - left, event.clientY - top);
  }, { passive: false });
  function zoom(factor, x = box.clientWidth / 2, y = box.clientHeight / 2) {
    const [mx, my] = metre(x, y);
    view.scale = Math.max(4, Math.min(400, view.scale * factor));
    view.left = mx - x / view.scale;
    view.top = my + y / view.scale;
    draw();
  }

  const keys = (event) => {
    if (event.target.closest('input, dialog, select')) return;
    if (event.key === 'z' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); return undo(); }
    if (event.key === 'Enter' && tool === 'room') return closeRoom();
    if (event.key === 'Escape') { draft = []; marks = []; return use('move'); }
    const key = event.target.dataset?.handle;
    if (!key) return;
    const step = event.shiftKey ? 1 : STEP;
    const move = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] }[event.key];
    if (move) {
      event.preventDefault();
      remember();
      const one = grip(key);
      const at = [tidy(one.at[0] + move[0]), tidy(one.at[1] + move[1])];
      one.set(at);
      draw();
      announce(`${at[0]} m, ${at[1]} m`);
    }
    if (event.key === 'Delete' || event.key === 'Backspace') { event.preventDefault(); remember(); grip(key).remove(); refresh(); }
  };

  function undo() {
    const before = past.pop();
    if (!before) return toast('There is nothing to undo.');
    plan = JSON.parse(before);
    if (!plan.floors.some((one) => one.floor === floor)) floor = plan.floors[0].floor;
    chosen = null;
    refresh();
  }

  async function choosePicture(chosenFile) {
    file.value = '';
    if (!chosenFile) return;
    const url = URL.createObjectURL(chosenFile);
    const image = new Image();
    image.src = url;
    try { await image.decode(); } catch { return toast(`${chosenFile.name} is no picture that this browser shows.`, 'problem'); }
    const edge = bounds(plan);
    pictures.set(floor, { url, ratio: image.naturalHeight / image.naturalWidth, x: edge.left, y: edge.top, width: edge.right - edge.left });
    use('scale');
  }

  async function measure() {
    const [a, b] = marks;
    const picture = pictures.get(floor);
    const now = Math.hypot(a[0] - b[0], a[1] - b[1]);
    const metres = await dialog('Scale', (close) => {
      const input = h('input', { id: 'metres', inputmode: 'decimal', required: true, autofocus: true, autocomplete: 'off' });
      return h('form', { onsubmit: (event) => { event.preventDefault(); const value = Number(input.value.replace(',', '.')); if (value > 0 && value < 1000) close(value); } },
        h('h2', {}, 'How far apart are the two points?'), h('label', { for: 'metres' }, 'Metres'), input,
        h('div', { class: 'buttons end' }, h('button', { type: 'button', onclick: () => close() }, 'Cancel'), h('button', { class: 'main' }, 'Set the scale')));
    });
    marks = [];
    if (metres && now > 0) {
      picture.width *= metres / now;
      toast(`The picture is now ${tidy(picture.width)} m wide.`);
      use(rooms().length ? 'move' : 'room');
      view.scale *= now / metres;
    } else use('move');
    draw();
  }

  function use(name) {
    tool = name;
    if (name !== 'room') draft = [];
    refresh();
  }

  function refresh() {
    const button = (name, label) => h('button', { type: 'button', 'aria-pressed': String(tool === name), onclick: () => use(name) }, label);
    const free = [...gateways.values()].filter((one) => !plan.gateways.some((other) => other.id === one.id));
    const names = rooms().map((room) => room.name);
    const from = h('select', { 'aria-label': 'Door from' }, names.map((name) => h('option', {}, name)));
    const to = h('select', { 'aria-label': 'Door to' }, names.map((name, index) => h('option', { selected: index === 1 }, name)));
    tools.replaceChildren(...[button('move', 'Move'), button('room', 'Draw a room'), button('door', 'Door'), pictures.has(floor) ? button('scale', 'Scale') : null].filter(Boolean));
    const floors = h('p', { class: 'field' }, h('label', { for: 'floor' }, 'Floor'), h('select', { id: 'floor', onchange: (event) => {
      if (event.target.value === 'new') {
        remember();
        const next = Math.max(...plan.floors.map((one) => one.floor)) + 1;
        plan.floors.push({ floor: next, rooms: [] });
        floor = next;
      } else floor = Number(event.target.value);
      chosen = null;
      refresh();
    } }, plan.floors.map((one) => h('option', { value: one.floor, selected: one.floor === floor }, one.floor === 0 ? 'Ground floor' : `Floor ${one.floor}`)), h('option', { value: 'new' }, 'Add a floor')));
    panel.replaceChildren(...[floors,
      h('section', { 'aria-label': 'Rooms' }, h('h2', {}, 'Rooms'), rooms().map((room) => h('p', { class: `roomrow${room === chosen ? ' chosen' : ''}` },
        h('input', { value: room.name, 'aria-label': `Name of ${room.name}`, maxlength: 120, onfocus: () => { if (chosen !== room) { chosen = room; draw(); } }, onchange: (event) => rename(room, event.target) }),
        h('button', { type: 'button', class: 'small quiet', 'aria-label': `Remove ${room.name}`, onclick: () => { remember(); rooms().splice(rooms().indexOf(room), 1); plan.doors = plan.doors.filter((door) => !door.between.includes(room.name)); refresh(); } }, 'Remove'))),
      rooms().length ? null : h('p', { class: 'none' }, 'Choose a picture of the floor, or draw the first room.')),
      names.length > 1 ? h('section', { 'aria-label': 'Doors' }, h('h2', {}, 'Doors'), h('p', { class: 'roomrow' }, from, to, h('button', { type: 'button', class: 'small', onclick: () => {
        const found = from.value !== to.value && wall(middle(rooms().find((room) => room.name === from.value).polygon_m), [from.value, to.value]);
        addDoor(found ? { ...found, distance: 0 } : null);
      } }, 'Add'))) : null,
      free.length ? h('section', { 'aria-label': 'Gateways' }, h('h2', {}, 'Gateways without a place'), free.map((one) => h('p', { class: 'roomrow' }, h('span', {}, one.room ?? one.id), h('button', { type: 'button', class: 'small', onclick: () => {
        remember();
        const [x, y] = middle(rooms().find((room) => room.name === one.room)?.polygon_m ?? [metre(box.clientWidth / 2, box.clientHeight / 2)]);
        plan.gateways.push({ id: one.id, x_m: tidy(x), y_m: tidy(y), floor });
        use('move');
      } }, 'Place')))) : null].filter(Boolean));
    draw();
  }

  function rename(room, input) {
    const name = input.value.trim();
    if (!name || plan.floors.some((one) => one.rooms.some((other) => other !== room && other.name === name))) {
      toast(name ? `There is a room ${name} already.` : 'A room needs a name.', 'problem');
      input.value = room.name;
      return;
    }
    remember();
    for (const door of plan.doors) door.between = door.between.map((one) => (one === room.name ? name : one));
    room.name = name;
    draw();
  }

  async function save() {
    try {
      await call('PUT', 'plan', { floors: plan.floors.filter((one) => one.rooms.length), doors: plan.doors, gateways: plan.gateways });
      isChanged = false;
      toast('The plan is saved.');
      location.hash = '#/';
    } catch (problem) {
      toast(problem.message, 'problem');
    }
  }

  function download() {
    const url = URL.createObjectURL(new Blob([toml(plan, (id) => gateways.get(id)?.room)], { type: 'application/toml' }));
    h('a', { href: url, download: 'plan.toml' }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
    isChanged = false;
    toast('Put the tables of plan.toml into aggregator.toml, instead of its rooms, doors and gateways, and reload the aggregator.');
  }

  const canSave = state.site?.plan?.editable || state.site?.plan_editable;
  const tools = h('div', { class: 'segments', role: 'group', 'aria-label': 'Tools' });
  const element = h('div', { class: 'page editor' },
    h('header', { class: 'pagehead' }, h('h1', {}, 'Floor plan'), h('div', { class: 'buttons' },
      h('button', { type: 'button', class: 'small quiet', onclick: undo }, 'Undo'), file, h('label', { class: 'button small', for: 'picture' }, 'Picture'),
      h('button', { type: 'button', class: canSave ? 'small' : 'small main', onclick: download }, 'Download'), canSave ? h('button', { type: 'button', class: 'main small', onclick: save }, 'Save') : null)),
    canSave ? null : h('p', { class: 'lead' }, 'The plan stands in aggregator.toml. Download the tables that you draw here, and put them there.'),
    h('div', { class: 'editbox' }, h('div', { class: 'drawing' }, h('div', { class: 'toolbar' }, tools, h('div', { class: 'segments' },
      h('button', { type: 'button', 'aria-label': 'Smaller', onclick: () => zoom(0.8) }, '−'), h('button', { type: 'button', 'aria-label': 'Larger', onclick: () => zoom(1.25) }, '+'), h('button', { type: 'button', onclick: fit }, 'Fit'))), box, hint), panel));
  // A gateway that appears can be placed; its room may become known.
  let known = '';
  let leave;
  const follow = () => {
    const now = JSON.stringify([...gateways.values()].map((one) => [one.id, one.room]));
    if (now === known || dragging || panel.contains(document.activeElement)) return;
    known = now;
    refresh();
  };
  const watcher = new ResizeObserver(() => draw());
  const leaving = (event) => { if (isChanged) event.preventDefault(); };
  return {
    element,
    attached() {
      follow();
      refresh();
      fit();
      leave = subscribe((changes) => { if (changes.gateways) follow(); });
      watcher.observe(box);
      document.addEventListener('keydown', keys);
      addEventListener('beforeunload', leaving);
      window.forgetmenot.editor = { plan: () => plan, pixel };
    },
    close() {
      leave?.();
      watcher.disconnect();
      document.removeEventListener('keydown', keys);
      removeEventListener('beforeunload', leaving);
      for (const picture of pictures.values()) URL.revokeObjectURL(picture.url);
    },
  };
}

"""#,
    "history.js": #"""
// History: one day of all items, and where each was at a time that one chooses.

import { h, setText, setAttribute, announce, toast } from './dom.js';
import { items, history, staysByItem, subscribe } from './store.js';
import { day, time, startOfDay, addDays, fold, count } from './text.js';
import { get, query } from './api.js';
import { VirtualList } from './list.js';
import { strip, drawStrip } from './strip.js';

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
const two = (number) => String(number).padStart(2, '0');
const local = (at) => {
  const date = new Date(at);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`;
};

export function open() {
  let at = Date.now();
  let isNow = true;
  let stays = new Map();
  let then = null;
  let loadedDay = null;
  let asked = 0;

  const input = h('input', { type: 'datetime-local', id: 'at', value: local(at), max: local(addDays(startOfDay(at), 1)) });
  const slider = h('input', { type: 'range', min: 0, max: 1439, step: 5, 'aria-label': 'Time of day', class: 'scrub' });
  const title = h('h2', { class: 'day' });
  const next = h('button', { type: 'button', class: 'icon', 'aria-label': 'Next day' }, '›');
  const previous = h('button', { type: 'button', class: 'icon', 'aria-label': 'Previous day' }, '‹');
  const search = h('input', { type: 'search', 'aria-label': 'Find an item', placeholder: 'Find keys …', autocomplete: 'off', oninput: () => order() });
  const problem = h('p', { class: 'problem', role: 'alert' });
  const empty = h('p', { class: 'empty', hidden: true }, 'No item matches.');
  const csv = h('button', { type: 'button', class: 'small', onclick: () => save('csv', 'text/csv') }, 'CSV');
  const json = h('button', { type: 'button', class: 'small', onclick: () => save('json', 'application/json') }, 'JSON');

  const list = new VirtualList({
    label: 'Where each item was', rem: 3.25,
    make() {
      const li = h('li', { class: 'dayrow' });
      li.parts = { name: h('span', { class: 'name' }), strip: strip(), place: h('span', { class: 'place' }) };
      li.append(h('a', {}, li.parts.name, li.parts.strip, li.parts.place));
      return li;
    },
    update(li, id) {
      const start = startOfDay(at);
      const was = then?.get(id);
      setAttribute(li.firstChild, 'href', `#/items/${encodeURIComponent(id)}`);
      setText(li.parts.name, items.get(id)?.name ?? id);
      setText(li.parts.place, !then ? '' : !was ? 'Nothing stored' : was.presence === 'home' ? was.room ?? 'Home' : was.presence === 'away' ? 'Away' : was.room ? `Unknown, last in ${was.room}` : 'Unknown');
      setAttribute(li, 'class', `dayrow ${was?.presence ?? 'none'}`);
      const key = `${id} ${start} ${stays.get(id)?.length} ${loadedDay}`;
      if (li.key === key) return;
      li.key = key;
      drawStrip(li.parts.strip, stays.get(id), start, addDays(start, 1));
    },
  });

  function order() {
    const needle = fold(search.value.trim());
    const ids = [...items.values()].filter((item) => !needle || fold(item.name).includes(needle))
      .sort((a, b) => collator.compare(a.name, b.name)).map((item) => item.item);
    list.set(ids);
    empty.hidden = ids.length > 0;
    if (needle && ids.length === 1) read(ids[0]);
  }
  function read(id) {
    const was = then?.get(id);
    announce(`${items.get(id)?.name}, ${day(at)} ${time(at)}: ${!was ? 'nothing stored' : was.presence === 'home' ? was.room : was.presence}.`);
  }

  // The state at the time, from the stays that are loaded; the server responds for what began before.
  async function load() {
    const start = startOfDay(at);
    const turn = ++asked;
    const end = addDays(start, 1);
    setText(title, day(start));
    next.disabled = end > Date.now();
    const minutes = Math.round((at - start) / 60_000);
    if (document.activeElement !== slider) slider.value = minutes;
    slider.setAttribute('aria-valuetext', time(at));
    element.style.setProperty('--at', (minutes / 1440).toFixed(4));
    try {
      const [rows, response] = await Promise.all([
        loadedDay === start && start !== startOfDay(Date.now()) ? null : history({ from: new Date(start).toISOString(), to: new Date(end).toISOString() }),
        get(`history/at?${query({ time: new Date(Math.min(at, Date.now())).toISOString() })}`),
      ]);
      if (turn !== asked) return;
      if (rows) { stays = staysByItem(rows); loadedDay = start; }
      then = new Map(response.items.map((item) => [item.item, item]));
      problem.textContent = '';
    } catch (error) {
      if (turn === asked) problem.textContent = error.message;
    }
    list.refresh();
  }
  async function save(ending, kind) {
    const start = startOfDay(at);
    const span = { from: new Date(start).toISOString(), to: new Date(addDays(start, 1)).toISOString() };
    try {
      let body;
      if (ending === 'csv') {
        const pages = [];
        let cursor;
        do {
          const response = await fetch(`api/v1/history?${query({ ...span, cursor })}`, { headers: { Accept: kind } });
          if (!response.ok) throw new Error((await response.json()).error);
          const text = await response.text();
          // Each page begins with the names of the columns.
          pages.push(pages.length ? text.slice(text.indexOf('\n') + 1) : text);
          cursor = new URLSearchParams(/<\?([^>]*)>/.exec(response.headers.get('Link') ?? '')?.[1]).get('cursor');
        } while (cursor && pages.length < 200);
        body = pages.join('');
      } else {
        body = JSON.stringify({ stays: await history(span, 200) }, null, 1);
      }
      const url = URL.createObjectURL(new Blob([body], { type: kind }));
      h('a', { href: url, download: `history-${local(start).slice(0, 10)}.${ending}` }).click();
      setTimeout(() => URL.revokeObjectURL(url), 10_000);
    } catch (error) {
      toast(error.message, 'problem');
    }
  }
  let timer;
  function choose(value, { typed = false } = {}) {
    if (!Number.isFinite(value)) return;
    at = Math.min(value, Date.now());
    isNow = Date.now() - at < 60_000;
    if (!typed) input.value = local(at);
    clearTimeout(timer);
    timer = setTimeout(load, 80);
    element.style.setProperty('--at', ((at - startOfDay(at)) / 86_400_000).toFixed(4));
  }
  input.addEventListener('input', () => choose(new Date(input.value).getTime(), { typed: true }));
  slider.addEventListener('input', () => choose(startOfDay(at) + Number(slider.value) * 60_000));
  previous.addEventListener('click', () => choose(addDays(at, -1)));
  next.addEventListener('click', () => choose(addDays(at, 1)));

  const element = h('div', { class: 'page history' },
    h('header', { class: 'pagehead' }, h('h1', {}, 'History'),
      h('p', { class: 'field' }, h('label', { for: 'at' }, 'Where was everything at'), input)),
    problem,
    h('section', { class: 'card', 'aria-label': 'One day' },
      h('div', { class: 'daybar' }, previous, title, next, h('span', { class: 'spring' }), search),
      h('div', { class: 'scrubber' }, h('span', {}), h('div', {}, slider, h('div', { class: 'hours', 'aria-hidden': 'true' }, ['00', '06', '12', '18', '24'].map((hour) => h('span', {}, hour)))), h('span', {})),
      list.element, empty),
    h('p', { class: 'foot' }, h('span', {}, 'Export this day: '), csv, ' ', json));

  const leave = subscribe((changes) => {
    if (changes.items) order();
    if (isNow && (changes.events.length || changes.items)) choose(Date.now());
  });
  const clock = setInterval(() => { if (isNow && !document.hidden) choose(Date.now()); }, 60_000);
  return {
    element,
    attached() { order(); load().then(() => announce(count(list.ids.length, 'item'))); },
    close() { leave(); clearInterval(clock); clearTimeout(timer); },
  };
}

"""#,
    "icon.svg": #"""
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><g fill="#5b7fe8"><circle cx="12" cy="5.6" r="4.1"/><circle cx="18.1" cy="10" r="4.1"/><circle cx="15.8" cy="17.2" r="4.1"/><circle cx="8.2" cy="17.2" r="4.1"/><circle cx="5.9" cy="10" r="4.1"/></g><circle cx="12" cy="12" r="2.6" fill="#ffd766"/></svg>

"""#,
    "index.html": #"""
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="#fbfbfa" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#121316" media="(prefers-color-scheme: dark)">
<title>Forgetmenot</title>
<link rel="icon" href="assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="assets/app.css">
<link rel="modulepreload" href="assets/store.js">
<link rel="modulepreload" href="assets/text.js">
<link rel="modulepreload" href="assets/api.js">
<link rel="modulepreload" href="assets/dom.js">
<link rel="modulepreload" href="assets/now.js">
<link rel="modulepreload" href="assets/list.js">
<link rel="modulepreload" href="assets/strip.js">
<link rel="modulepreload" href="assets/plan.js">
<link rel="modulepreload" href="assets/detail.js">
<script type="module" src="assets/app.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="bar">
  <a class="brand" href="#/" aria-label="Forgetmenot, now">
    <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true"><g class="petals"><circle cx="12" cy="5.6" r="4.1"/><circle cx="18.1" cy="10" r="4.1"/><circle cx="15.8" cy="17.2" r="4.1"/><circle cx="8.2" cy="17.2" r="4.1"/><circle cx="5.9" cy="10" r="4.1"/></g><circle class="eye" cx="12" cy="12" r="2.6"/></svg>
    <span>Forgetmenot</span>
  </a>
  <nav class="tabs" aria-label="Views">
    <a href="#/" data-view="now">Now</a>
    <a href="#/history" data-view="history">History</a>
    <a href="#/tend" data-view="tend">Tend</a>
  </nav>
  <p class="live" id="live" data-state="connecting"><span id="live-text">Connecting</span></p>
</header>
<div id="problems"></div>
<main id="main" tabindex="-1"><noscript><p class="empty">This page needs JavaScript.</p></noscript></main>
<div id="announce" class="hidden" role="status" aria-live="polite"></div>
<div id="toasts" role="status" aria-live="polite"></div>
</body>
</html>

"""#,
    "list.js": #"""
// A list that has rows only for what is in view: thousands of items cost as much as twenty. All rows have one height, in rem.

import { h, setAttribute } from './dom.js';

const OVERSCAN = 6;

export class VirtualList {
  #ids = [];
  #index = new Map();
  #rows = new Map();
  #current = null;
  #height = 1;

  // `make()` returns an li whose first child is its link or button; `update(row, id)` fills it.
  constructor({ label, rem, make, update }) {
    this.rem = rem;
    this.make = make;
    this.update = update;
    this.element = h('ul', { class: 'rows', role: 'list', 'aria-label': label });
    this.element.addEventListener('keydown', (event) => this.#key(event));
    this.element.addEventListener('focusin', (event) => {
      const row = event.target.closest('li');
      if (row?.dataset.id && row.dataset.id !== this.#current) this.#choose(row.dataset.id);
    });
    const draw = () => this.draw();
    this.scroll = () => { if (this.element.isConnected && !this.frame) this.frame = requestAnimationFrame(() => { this.frame = 0; draw(); }); };
    document.addEventListener('scroll', this.scroll, { capture: true, passive: true });
    new ResizeObserver(draw).observe(this.element);
    addEventListener('resize', this.scroll);
  }

  get ids() { return this.#ids; }

  set(ids) {
    this.#ids = ids;
    this.#index = new Map(ids.map((id, index) => [id, index]));
    if (!this.#index.has(this.#current)) this.#current = ids[0] ?? null;
    this.draw(true);
  }

  // Fills again the rows of these ids that are in view, or all of them.
  refresh(ids) {
    if (!ids) for (const [id, row] of this.#rows) this.update(row, id);
    else for (const id of ids) if (this.#rows.has(id)) this.update(this.#rows.get(id), id);
  }

  draw(all = false) {
    this.#height = this.rem * parseFloat(getComputedStyle(document.documentElement).fontSize);
    const total = `${this.#ids.length * this.#height}px`;
    if (this.element.style.height !== total) this.element.style.height = total;
    const { top, width } = this.element.getBoundingClientRect();
    if (!width) return;
    const first = Math.max(0, Math.floor(-top / this.#height) - OVERSCAN);
    const last = Math.min(this.#ids.length, Math.ceil((innerHeight - top) / this.#height) + OVERSCAN);
    const visible = new Set(this.#ids.slice(first, last));
    // The focused row stays, so that focus is not lost while scrolling.
    const focused = document.activeElement?.closest?.('li')?.dataset.id;
    if (focused && this.#index.has(focused) && this.#rows.has(focused)) visible.add(focused);
    for (const [id, row] of this.#rows) {
      if (visible.has(id)) continue;
      row.remove();
      this.#rows.delete(id);
    }
    let before = null;
    for (const id of [...visible].sort((a, b) => this.#index.get(b) - this.#index.get(a))) {
      let row = this.#rows.get(id);
      const isNew = !row;
      if (isNew) {
        row = this.make();
        row.dataset.id = id;
        this.#rows.set(id, row);
      }
      const index = this.#index.get(id);
      const place = `translateY(${index * this.#height}px)`;
      if (row.style.transform !== place) row.style.transform = place;
      setAttribute(row, 'aria-setsize', this.#ids.length);
      setAttribute(row, 'aria-posinset', index + 1);
      row.firstElementChild.tabIndex = id === this.#current ? 0 : -1;
      if (isNew || all) this.update(row, id);
      // The order in the document is the order in the list; a row that stands right is not moved, because that would end its focus.
      if (row.parentNode !== this.element || row.nextSibling !== before) this.element.insertBefore(row, before);
      before = row;
    }
  }

  focus(id = this.#current) {
    const index = this.#index.get(id);
    if (index === undefined) return false;
    this.#choose(id);
    if (!this.#rows.has(id)) {
      const scroller = this.element.closest('.scroll') ?? document.scrollingElement;
      const top = index * this.#height - scroller.clientHeight / 2;
      if (scroller.scrollHeight > scroller.clientHeight) scroller.scrollTop = top;
      else document.scrollingElement.scrollTop = top;
      this.draw();
    }
    const row = this.#rows.get(id);
    row?.firstElementChild.focus({ preventScroll: true });
    row?.scrollIntoView({ block: 'nearest' });
    return !!row;
  }

  #choose(id) {
    const old = this.#rows.get(this.#current);
    if (old) old.firstElementChild.tabIndex = -1;
    this.#current = id;
    const row = this.#rows.get(id);
    if (row) row.firstElementChild.tabIndex = 0;
  }

  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const index = this.#index.get(this.#current) ?? 0;
    const page = Math.max(1, Math.floor(innerHeight / this.#height) - 3);
    const target = {
      ArrowDown: index + 1, ArrowUp: index - 1, PageDown: index + page, PageUp: index - page, Home: 0, End: this.#ids.length - 1,
    }[event.key];
    if (target === undefined || event.target.matches('input')) return;
    event.preventDefault();
    if (event.key === 'ArrowUp' && index === 0) return this.onLeave?.();
    this.focus(this.#ids[Math.max(0, Math.min(this.#ids.length - 1, target))]);
  }
}

"""#,
    "login.js": #"""
// The login form.

import { h } from './dom.js';
import { call } from './api.js';

export function form(onDone) {
  const user = h('input', { id: 'user', autocomplete: 'username', autocapitalize: 'none', required: true });
  const password = h('input', { id: 'password', type: 'password', autocomplete: 'current-password', required: true });
  const problem = h('p', { class: 'problem', role: 'alert' });
  const button = h('button', { class: 'main' }, 'Log in');
  return h('form', { class: 'login', onsubmit: async (event) => {
    event.preventDefault();
    button.disabled = true;
    problem.textContent = '';
    try {
      await call('POST', 'login', { user: user.value, password: password.value });
      onDone();
    } catch (error) {
      problem.textContent = error.message;
      button.disabled = false;
      password.select();
    }
  } }, h('h1', {}, 'Forgetmenot'), h('p', { class: 'field tall' }, h('label', { for: 'user' }, 'User'), user),
  h('p', { class: 'field tall' }, h('label', { for: 'password' }, 'Password'), password), problem, button);
}

export async function logout() {
  try { await call('POST', 'logout'); } finally { location.reload(); }
}

"""#,
    "now.js": #"""
// Now: the list of items, and the plan or the rooms.

import { h, setText, setAttribute, ring, setRing, announce } from './dom.js';
import { items, gateways, strips, state, subscribe, isStale, isAdmin, gatewayName, loadStrips, DAY } from './store.js';
import { certainty, place, support, sentence, ago, fold, count, percent, when } from './text.js';
import { VirtualList } from './list.js';
import { PlanView } from './plan.js';
import { strip, drawStrip } from './strip.js';
import { Detail, acknowledge } from './detail.js';

const FILTERS = [['all', 'All'], ['home', 'Home'], ['away', 'Away'], ['unknown', 'Unknown']];
const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
// A room's tile shows so many items.
const TILE = 12;

export class Now {
  #query = '';
  #filter = 'all';
  #folded = new Map();

  constructor() {
    this.search = h('input', {
      type: 'search', id: 'search', placeholder: 'Find keys, a room …', 'aria-label': 'Find an item', autocomplete: 'off', spellcheck: 'false',
      'aria-keyshortcuts': '/', oninput: () => this.#find(this.search.value),
      onkeydown: (event) => {
        if (event.key === 'ArrowDown' && this.list.focus(this.list.ids[0])) event.preventDefault();
        if (event.key === 'Enter' && this.list.ids.length) location.hash = `#/items/${encodeURIComponent(this.list.ids[0])}`;
        if (event.key === 'Escape' && this.#query) { event.preventDefault(); this.#find(''); }
      },
    });
    this.filters = h('div', { class: 'segments', role: 'group', 'aria-label': 'Show' }, FILTERS.map(([key, label]) =>
      h('button', { type: 'button', 'data-filter': key, 'aria-pressed': String(key === 'all'), onclick: () => this.#choose(key) }, h('span', {}, label), h('b', { class: 'number' }))));
    this.alerts = h('section', { class: 'alerts', 'aria-label': 'Notifications', hidden: true });
    this.list = new VirtualList({ label: 'Items', rem: 4.75, make: makeRow, update: updateRow });
    this.list.onLeave = () => this.search.focus();
    this.empty = h('p', { class: 'empty', hidden: true });
    this.listing = h('div', { class: 'listing' },
      h('div', { class: 'finder' }, h('div', { class: 'searchbox' }, this.search, h('kbd', { 'aria-hidden': 'true' }, '/')), this.filters),
      this.alerts, this.list.element, this.empty);
    this.detail = new Detail({ onHeat: (seconds) => this.plan.heat(seconds) });
    this.side = h('section', { class: 'side scroll', 'aria-label': 'Items' }, h('h1', { class: 'hidden' }, 'Now'), this.listing, this.detail.element);
    const open = (id) => { location.hash = `#/items/${encodeURIComponent(id)}`; };
    this.plan = new PlanView({ onSelect: open, onRoom: (room) => this.#find(this.#query === room ? '' : room) });
    this.tiles = h('div', { class: 'tiles' });
    this.health = h('ul', { class: 'health', role: 'list', 'aria-label': 'Gateways' });
    this.stage = h('section', { class: 'stage', 'aria-label': 'Rooms and gateways' }, this.plan.element, this.tiles, this.health);
    this.element = h('div', { class: 'now' }, this.side, this.stage);
    subscribe((changes) => this.#changed(changes));
    // Times age without any event.
    setInterval(() => { if (!document.hidden && this.element.isConnected) { this.list.refresh(); this.detail.age(); } }, 15_000);
    addEventListener('forgetmenot:show', () => this.#all());
  }

  // Shows the list, or one item.
  show(id) {
    const before = this.detail.id;
    if (id) {
      this.scrolled = this.side.scrollTop;
      this.listing.hidden = true;
      this.detail.open(id);
      this.plan.select(id);
    } else {
      this.listing.hidden = false;
      this.detail.close();
      this.plan.select(null);
      this.plan.heat(null);
      this.list.draw();
      if (before) {
        this.side.scrollTop = this.scrolled ?? 0;
        if (!this.list.focus(before)) this.search.focus();
      }
    }
    this.element.classList.toggle('chosen', !!id);
    if (id) this.side.scrollTop = 0;
  }

  attached() {
    this.#all();
    this.list.draw();
  }

  #changed(changes) {
    if (changes.items && !this.stripsAsked && state.loaded) {
      this.stripsAsked = true;
      const load = () => loadStrips().catch((problem) => {
        // Without a history the strips stay empty; otherwise the page asks again after a while.
        if (problem.status !== 404) setTimeout(() => { this.stripsAsked = false; }, 30_000);
      });
      if (window.requestIdleCallback) requestIdleCallback(load, { timeout: 1000 }); else setTimeout(load, 200);
    }
    if (!this.element.isConnected) return;
    if (changes.site) this.#site();
    if (changes.live) {
      this.list.refresh();
      this.plan.update();
      this.detail.refresh();
    }
    if (changes.items) {
      this.#order();
      this.plan.update(changes.changed.size && !changes.live ? changes.changed : undefined);
    } else if (changes.changed.size) {
      this.plan.update(changes.changed);
    }
    if (changes.changed.size) {
      this.list.refresh(changes.changed);
      if (this.#query) this.#order();
      if (this.detail.id && changes.changed.has(this.detail.id)) this.detail.refresh();
    }
    if (changes.items || changes.changed.size) this.#scheduleTiles();
    if (changes.strips) this.list.refresh();
    if (changes.gateways) {
      this.#gateways();
      this.plan.gateways();
      this.#scheduleTiles();
      // Sentences name the room of a gateway.
      this.list.refresh();
      this.detail.refresh();
    }
  }

  #all() {
    this.#site();
    this.#order();
    this.#gateways();
    this.plan.update();
  }

  #site() {
    const plan = state.site?.plan;
    const hasPlan = !!plan?.floors.some((floor) => floor.rooms.length);
    this.plan.element.hidden = !hasPlan;
    this.tiles.hidden = hasPlan;
    const text = JSON.stringify(plan);
    if (hasPlan && text !== this.planText) this.plan.set(plan);
    this.planText = text;
    this.#scheduleTiles();
  }

  #choose(filter) {
    this.#filter = filter;
    for (const button of this.filters.children) setAttribute(button, 'aria-pressed', String(button.dataset.filter === filter));
    this.#order();
  }

  #find(text) {
    if (this.search.value !== text) this.search.value = text;
    this.#query = text.trim();
    this.#order();
    if (!this.#query) return announce('');
    const found = this.list.ids;
    announce(found.length === 0 ? `No item matches ${this.#query}.`
      : found.length === 1 ? sentence(items.get(found[0]))
        : `${count(found.length, 'item')}. ${found.slice(0, 2).map((id) => sentence(items.get(id))).join(' ')}`);
  }

  // What is compared with the search text, folded once for each name and room.
  #words(item) {
    const key = `${item.name}\n${item.room ?? ''}`;
    const known = this.#folded.get(item.item);
    if (known?.key === key) return known;
    const words = { key, name: fold(item.name), room: fold(item.room ?? '') };
    this.#folded.set(item.item, words);
    return words;
  }

  #order() {
    const needle = fold(this.#query);
    const numbers = { all: 0, home: 0, away: 0, unknown: 0 };
    const rows = [];
    for (const [id, item] of items) {
      numbers.all++;
      numbers[item.presence in numbers ? item.presence : 'unknown']++;
      if (this.#filter !== 'all' && item.presence !== this.#filter) continue;
      let rank = item.notification ? 0 : 1;
      if (needle) {
        const { name, room } = this.#words(item);
        rank = name.startsWith(needle) ? 0 : name.includes(` ${needle}`) ? 1 : name.includes(needle) ? 2 : room.startsWith(needle) ? 3 : id === needle ? 3 : -1;
        if (rank < 0) continue;
      }
      rows.push({ id, rank, name: item.name });
    }
    rows.sort((a, b) => a.rank - b.rank || collator.compare(a.name, b.name));
    const ids = rows.map((row) => row.id);
    const same = ids.length === this.list.ids.length && ids.every((id, index) => id === this.list.ids[index]);
    if (same) this.list.refresh(); else this.list.set(ids);
    for (const button of this.filters.children) setText(button.lastChild, String(numbers[button.dataset.filter]));
    this.plan.want(needle ? new Set(ids) : null);
    this.empty.hidden = ids.length > 0 || !state.loaded;
    if (!this.empty.hidden) {
      const hasAny = items.size > 0;
      this.empty.replaceChildren(hasAny
        ? (needle ? `No item matches “${this.#query}”.` : 'No item here.')
        : h('span', {}, h('strong', {}, 'No items yet.'), ' ', isAdmin() ? h('a', { href: '#/tend' }, 'Add the first one.') : 'Ask an administrator to add one.'));
    }
    this.#alerts();
  }

  #alerts() {
    const alerts = [...items.values()].filter((item) => item.notification).sort((a, b) => collator.compare(a.name, b.name));
    const key = JSON.stringify([alerts.map((item) => [item.item, item.notification]), isAdmin()]);
    if (key === this.alertKey) return;
    const isNew = this.alertKey !== undefined && alerts.length > this.alertCount;
    this.alertKey = key;
    this.alertCount = alerts.length;
    // Focus stays in the section if the button that had it is gone.
    const had = this.alerts.contains(document.activeElement);
    this.alerts.hidden = alerts.length === 0;
    this.alerts.replaceChildren(...alerts.slice(0, 20).map((item) => h('div', { class: 'alert' },
      h('p', {}, h('a', { href: `#/items/${encodeURIComponent(item.item)}` }, item.notification.message ?? `${item.name} has left.`),
        h('small', {}, `since ${when(item.notification.since)}`)),
      isAdmin() && h('button', { type: 'button', class: 'small', 'aria-label': `Acknowledge ${item.name}`, onclick: () => acknowledge(item.item) }, 'Acknowledge'))));
    if (had) (this.alerts.querySelector('button') ?? this.search).focus();
    if (isNew) announce(alerts.map((item) => item.notification.message).join(' '));
  }

  #gateways() {
    const rows = [...gateways.values()].sort((a, b) => health(a).rank - health(b).rank || collator.compare(a.room ?? a.id, b.room ?? b.id));
    this.health.replaceChildren(...rows.map((gateway) => {
      const { state: well, text } = health(gateway);
      const problems = gateway.problems ?? [];
      return h('li', { 'data-state': well },
        h('i', { class: 'dot', 'aria-hidden': 'true' }),
        h('div', {}, h('strong', {}, gateway.room ?? gateway.id), gateway.room ? h('span', { class: 'id' }, gateway.id) : null,
          h('p', {}, text), problems.length ? h('ul', { class: 'problems' }, problems.map((problem) => h('li', {}, problem))) : null));
    }));
    if (!rows.length && state.loaded) this.health.append(h('li', { 'data-state': 'down' }, h('i', { class: 'dot', 'aria-hidden': 'true' }), h('div', {}, h('strong', {}, 'No gateway'), h('p', {}, 'Start forgetmenot-gateway on a machine with a Bluetooth adapter.'))));
  }

  // Tiles are drawn at most four times a second, and only if there is no plan.
  #scheduleTiles() {
    if (this.tiles.hidden || this.tileTimer) return;
    this.tileTimer = setTimeout(() => { this.tileTimer = 0; this.#tiles(); }, state.loaded && !this.tiles.childElementCount ? 0 : 250);
  }

  #tiles() {
    if (this.tiles.hidden || !state.loaded) return;
    const rooms = new Map((state.site?.rooms ?? []).map((room) => [room, []]));
    for (const gateway of gateways.values()) if (gateway.room && !rooms.has(gateway.room)) rooms.set(gateway.room, []);
    const away = [];
    const unknown = [];
    for (const item of items.values()) {
      if (item.presence === 'home' && item.room) rooms.get(item.room)?.push(item) ?? rooms.set(item.room, [item]);
      else if (item.presence === 'away') away.push(item);
      else unknown.push(item);
    }
    const all = [...rooms, ...(away.length ? [['Away', away, 'away']] : []), ...(unknown.length ? [['Unknown', unknown, 'unknown']] : [])];
    const old = new Map([...this.tiles.children].map((tile) => [tile.dataset.room, tile]));
    const ordered = all.map(([room, members, kind]) => {
      members.sort((a, b) => collator.compare(a.name, b.name));
      const shown = members.slice(0, TILE);
      const key = JSON.stringify([shown.map((item) => [item.item, item.name, certainty(item), isStale(item)]), members.length]);
      const known = old.get(room);
      if (known?.key === key) return known;
      const tile = h('section', { class: `tile ${kind ?? ''}`, 'data-room': room, 'aria-label': room },
        h('h2', {}, room, h('b', { class: 'number' }, String(members.length))),
        h('ul', { role: 'list' }, shown.map((item) => {
          const mark = ring();
          setRing(mark, item);
          return h('li', {}, h('a', { class: `chip ${certainty(item)}${isStale(item) ? ' stale' : ''}`, href: `#/items/${encodeURIComponent(item.item)}` }, mark, item.name));
        }), members.length > TILE ? h('li', {}, h('button', { type: 'button', class: 'chip more', onclick: () => kind ? this.#choose(kind) : this.#find(room) }, `${members.length - TILE} more`)) : null));
      tile.key = key;
      return tile;
    });
    if (ordered.length !== this.tiles.children.length || ordered.some((tile, index) => tile !== this.tiles.children[index])) {
      const focused = document.activeElement?.closest?.('.tiles a')?.getAttribute('href');
      this.tiles.replaceChildren(...ordered);
      if (focused) this.tiles.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
    }
  }
}

export function health(gateway) {
  if (!gateway.alive) return { rank: 0, state: 'down', text: gateway.last_info_at ? `Offline. Last message ${ago(gateway.last_info_at)}.` : 'Offline.' };
  const radio = gateway.radio ?? {};
  if (radio.state !== 'powered_on') return { rank: 1, state: 'down', text: `Does not scan: ${radio.reason ?? (radio.state ?? 'unknown').replace('_', ' ')}.` };
  if (gateway.problems?.length) return { rank: 2, state: 'problem', text: count(gateway.problems.length, 'problem') };
  return { rank: 3, state: 'well', text: 'Receives.' };
}

function makeRow() {
  const li = h('li', { class: 'row' });
  const parts = {
    ring: ring(), name: h('span', { class: 'name' }), seen: h('span', { class: 'seen' }), place: h('span', { class: 'place' }),
    sure: h('span', { class: 'sure' }), more: h('span', { class: 'more' }), strip: strip(),
  };
  li.append(h('a', {}, parts.ring, h('span', { class: 'line' }, parts.name, parts.seen),
    h('span', { class: 'line' }, h('span', { class: 'where' }, parts.place, parts.more), parts.sure), parts.strip));
  li.parts = parts;
  return li;
}

function updateRow(li, id) {
  const item = items.get(id);
  if (!item) return;
  const now = Date.now();
  const { parts } = li;
  setAttribute(li, 'class', `row ${certainty(item)}${isStale(item) ? ' stale' : ''}${item.notification ? ' notified' : ''}`);
  setAttribute(li.firstChild, 'href', `#/items/${encodeURIComponent(id)}`);
  setRing(parts.ring, item);
  setText(parts.name, item.name);
  setText(parts.seen, isStale(item) ? `as of ${when(item.last_seen_at ?? state.liveSince, now)}` : item.presence === 'home' ? (item.received ? 'now' : ago(item.last_seen_at, now)) : '');
  setText(parts.place, place(item));
  const more = support(item, gatewayName, now);
  setText(parts.more, more);
  setText(parts.sure, item.presence === 'home' && item.confidence != null ? percent(item.confidence) : '');
  const stays = strips.get(id);
  // The strip changes by a pixel in minutes: it is drawn again only when its stays change, or after two minutes.
  const key = stays ? `${stays.length} ${stays.at(-1)?.from} ${Math.floor(now / 120_000)}` : '';
  if (stays && li.stripKey !== id + key) {
    li.stripKey = id + key;
    drawStrip(parts.strip, stays, now - DAY, now, now);
  }
}

"""#,
    "openapi.json": #"""
{
 "openapi": "3.1.0",
 "info": {
  "title": "Forgetmenot",
  "version": "1",
  "description": "The HTTP interface of `forgetmenot run`. Requests that change something send the header X-Forgetmenot-CSRF with the csrf of /api/v1/site, unless they carry a token.",
  "license": {
   "name": "MIT",
   "identifier": "MIT"
  }
 },
 "servers": [
  {
   "url": "/"
  }
 ],
 "paths": {
  "/healthz": {
   "get": {
    "summary": "Whether the aggregator runs and the broker is connected",
    "tags": [
     "operation"
    ],
    "x-role": "anybody",
    "security": [],
    "responses": {
     "200": {
      "description": "All runs.",
      "content": {
       "text/plain; charset=utf-8": {
        "schema": {
         "type": "string"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     },
     "503": {
      "description": "What does not run, in a sentence.",
      "content": {
       "text/plain; charset=utf-8": {
        "schema": {
         "type": "string"
        }
       }
      }
     }
    }
   }
  },
  "/metrics": {
   "get": {
    "summary": "Metrics for Prometheus",
    "tags": [
     "operation"
    ],
    "x-role": "reader",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "responses": {
     "200": {
      "description": "The text format of Prometheus.",
      "content": {
       "text/plain; version=0.0.4; charset=utf-8": {
        "schema": {
         "type": "string"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/openapi.json": {
   "get": {
    "summary": "This description",
    "tags": [
     "operation"
    ],
    "x-role": "anybody",
    "security": [],
    "responses": {
     "200": {
      "description": "OpenAPI 3.1.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object"
        }
       }
      }
     },
     "304": {
      "description": "It has not changed."
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/v1/login": {
   "post": {
    "summary": "Sign in",
    "tags": [
     "session"
    ],
    "x-role": "anybody",
    "security": [],
    "requestBody": {
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "user": {
          "type": "string"
         },
         "password": {
          "type": "string"
         }
        },
        "required": [
         "user",
         "password"
        ]
       }
      }
     }
    },
    "responses": {
     "204": {
      "description": "A session begins: the response sets its cookie."
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "413": {
      "$ref": "#/components/responses/Error"
     },
     "415": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     },
     "429": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/v1/logout": {
   "post": {
    "summary": "Sign out",
    "tags": [
     "session"
    ],
    "x-role": "reader",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "responses": {
     "204": {
      "description": "The session is over."
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/v1/site": {
   "get": {
    "summary": "The site, and who asks",
    "tags": [
     "state"
    ],
    "x-role": "anybody",
    "security": [],
    "responses": {
     "200": {
      "description": "Who has not signed in gets only role, csrf, login_required and time.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Site"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/v1/items": {
   "get": {
    "summary": "All items with their locations",
    "tags": [
     "state"
    ],
    "x-role": "reader",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "responses": {
     "200": {
      "description": "The items.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object",
         "properties": {
          "items": {
           "type": "array",
           "items": {
            "$ref": "#/components/schemas/Item"
           }
          }
         },
         "required": [
          "items"
         ]
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     }
    }
   },
   "post": {
    "summary": "Add an item",
    "tags": [
     "items"
    ],
    "x-role": "admin",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "requestBody": {
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "$ref": "#/components/schemas/NewItem"
       }
      }
     }
    },
    "responses": {
     "201": {
      "description": "The item.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object",
         "properties": {
          "item": {
           "type": "string"
          }
         },
         "required": [
          "item"
         ]
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "404": {
      "$ref": "#/components/responses/Error"
     },
     "409": {
      "$ref": "#/components/responses/Error"
     },
     "413": {
      "$ref": "#/components/responses/Error"
     },
     "415": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     },
     "502": {
      "$ref": "#/components/responses/Error"
     },
     "503": {
      "$ref": "#/components/responses/Error"
     },
     "504": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/v1/items/{item}": {
   "patch": {
    "summary": "Rename an item, or change its notifications or measured power",
    "tags": [
     "items"
    ],
    "x-role": "admin",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "parameters": [
     {
      "name": "item",
      "in": "path",
      "required": true,
      "description": "The item's id.",
      "schema": {
       "type": "string",
       "minLength": 1,
       "maxLength": 256
      }
     }
    ],
    "requestBody": {
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "$ref": "#/components/schemas/ItemChange"
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "The item.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object",
         "properties": {
          "item": {
           "type": "string"
          }
         },
         "required": [
          "item"
         ]
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "404": {
      "$ref": "#/components/responses/Error"
     },
     "409": {
      "$ref": "#/components/responses/Error"
     },
     "413": {
      "$ref": "#/components/responses/Error"
     },
     "415": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     },
     "502": {
      "$ref": "#/components/responses/Error"
     },
     "503": {
      "$ref": "#/components/responses/Error"
     },
     "504": {
      "$ref": "#/components/responses/Error"
     }
    }
   },
   "delete": {
    "summary": "Remove an item",
    "tags": [
     "items"
    ],
    "x-role": "admin",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "parameters": [
     {
      "name": "item",
      "in": "path",
      "required": true,
      "description": "The item's id.",
      "schema": {
       "type": "string",
       "minLength": 1,
       "maxLength": 256
      }
     },
     {
      "name": "past",
      "in": "query",
      "required": false,
      "description": "Whether its past is deleted as well.",
      "schema": {
       "type": "boolean"
      }
     }
    ],
    "responses": {
     "204": {
      "description": "It is removed."
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "404": {
      "$ref": "#/components/responses/Error"
     },
     "409": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     },
     "500": {
      "$ref": "#/components/responses/Error"
     },
     "502": {
      "$ref": "#/components/responses/Error"
     },
     "503": {
      "$ref": "#/components/responses/Error"
     },
     "504": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/v1/items/{item}/acknowledge": {
   "post": {
    "summary": "Acknowledge an item's notification",
    "tags": [
     "items"
    ],
    "x-role": "admin",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "parameters": [
     {
      "name": "item",
      "in": "path",
      "required": true,
      "description": "The item's id.",
      "schema": {
       "type": "string",
       "minLength": 1,
       "maxLength": 256
      }
     }
    ],
    "responses": {
     "204": {
      "description": "It is acknowledged, or there was none."
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "404": {
      "$ref": "#/components/responses/Error"
     },
     "409": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     },
     "502": {
      "$ref": "#/components/responses/Error"
     },
     "503": {
      "$ref": "#/components/responses/Error"
     },
     "504": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/v1/items/export": {
   "get": {
    "summary": "All items, as items export prints them",
    "tags": [
     "items"
    ],
    "x-role": "reader",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "responses": {
     "200": {
      "description": "The items.",
      "content": {
       "application/json": {
        "schema": {
         "type": "array",
         "items": {
          "$ref": "#/components/schemas/RegistryItem"
         }
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/v1/items/import": {
   "post": {
    "summary": "Add the items of an export",
    "tags": [
     "items"
    ],
    "x-role": "admin",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "requestBody": {
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "type": "array",
        "items": {
         "$ref": "#/components/schemas/NewItem"
        }
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "How many were added, how many existed already, and why others were refused.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object",
         "properties": {
          "added": {
           "type": "integer"
          },
          "known": {
           "type": "integer"
          },
          "refused": {
           "type": "array",
           "items": {
            "type": "object",
            "properties": {
             "index": {
              "type": "integer"
             },
             "error": {
              "type": "string"
             }
            },
            "required": [
             "index",
             "error"
            ]
           }
          }
         },
         "required": [
          "added",
          "known",
          "refused"
         ]
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "404": {
      "$ref": "#/components/responses/Error"
     },
     "409": {
      "$ref": "#/components/responses/Error"
     },
     "413": {
      "$ref": "#/components/responses/Error"
     },
     "415": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     },
     "502": {
      "$ref": "#/components/responses/Error"
     },
     "503": {
      "$ref": "#/components/responses/Error"
     },
     "504": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/v1/gateways": {
   "get": {
    "summary": "All gateways and their health",
    "tags": [
     "state"
    ],
    "x-role": "reader",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "responses": {
     "200": {
      "description": "The gateways.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object",
         "properties": {
          "gateways": {
           "type": "array",
           "items": {
            "$ref": "#/components/schemas/Gateway"
           }
          }
         },
         "required": [
          "gateways"
         ]
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/v1/plan": {
   "get": {
    "summary": "The floor plan of the configuration",
    "tags": [
     "state"
    ],
    "x-role": "reader",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "responses": {
     "200": {
      "description": "The plan.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Plan"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "404": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/v1/stream": {
   "get": {
    "summary": "What changes, as server-sent events",
    "tags": [
     "streams"
    ],
    "description": "A client that does not keep up is cut off and connects again. A comment every 15 s shows that the connection stands.",
    "x-role": "reader",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "responses": {
     "200": {
      "description": "First site, items, gateways; then item, item_removed, gateway, gateway_removed, site, event and survey.",
      "content": {
       "text/event-stream": {
        "schema": {
         "type": "string"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     },
     "503": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/v1/nearby": {
   "get": {
    "summary": "The beacons in range of the gateways, every second, as server-sent events",
    "tags": [
     "streams"
    ],
    "x-role": "reader",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "responses": {
     "200": {
      "description": "Events nearby: the beacons, the strongest RSSI first.",
      "content": {
       "text/event-stream": {
        "schema": {
         "type": "string"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     },
     "503": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/v1/surveys": {
   "get": {
    "summary": "The surveys and what was learned",
    "tags": [
     "surveys"
    ],
    "x-role": "reader",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "responses": {
     "200": {
      "description": "The payload of the request learning, and the survey that runs.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object",
         "properties": {
          "surveys": {
           "type": "array",
           "items": {
            "$ref": "#/components/schemas/Survey"
           }
          },
          "current": {
           "anyOf": [
            {
             "$ref": "#/components/schemas/SurveyProgress"
            },
            {
             "type": "null"
            }
           ]
          }
         },
         "required": [
          "surveys",
          "current"
         ]
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "404": {
      "$ref": "#/components/responses/Error"
     },
     "409": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     },
     "502": {
      "$ref": "#/components/responses/Error"
     },
     "503": {
      "$ref": "#/components/responses/Error"
     },
     "504": {
      "$ref": "#/components/responses/Error"
     }
    }
   },
   "post": {
    "summary": "Begin to survey a room",
    "tags": [
     "surveys"
    ],
    "x-role": "admin",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "requestBody": {
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "item": {
          "type": "string"
         },
         "room": {
          "type": "string"
         },
         "for_s": {
          "type": "integer",
          "minimum": 10,
          "maximum": 600
         }
        },
        "required": [
         "item",
         "room"
        ]
       }
      }
     }
    },
    "responses": {
     "201": {
      "description": "The survey runs; its progress and result are events of the stream.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/SurveyProgress"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "404": {
      "$ref": "#/components/responses/Error"
     },
     "409": {
      "$ref": "#/components/responses/Error"
     },
     "413": {
      "$ref": "#/components/responses/Error"
     },
     "415": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     },
     "502": {
      "$ref": "#/components/responses/Error"
     },
     "503": {
      "$ref": "#/components/responses/Error"
     },
     "504": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/v1/surveys/current": {
   "delete": {
    "summary": "End the survey that runs, without storing it",
    "tags": [
     "surveys"
    ],
    "x-role": "admin",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "responses": {
     "204": {
      "description": "It is discarded."
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "404": {
      "$ref": "#/components/responses/Error"
     },
     "409": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     },
     "502": {
      "$ref": "#/components/responses/Error"
     },
     "503": {
      "$ref": "#/components/responses/Error"
     },
     "504": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/v1/surveys/{room}": {
   "delete": {
    "summary": "Remove the surveys of a room, or one by its number",
    "tags": [
     "surveys"
    ],
    "x-role": "admin",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "parameters": [
     {
      "name": "room",
      "in": "path",
      "required": true,
      "description": "The room's name, or a survey's number.",
      "schema": {
       "type": "string",
       "minLength": 1,
       "maxLength": 256
      }
     }
    ],
    "responses": {
     "204": {
      "description": "They are removed."
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "404": {
      "$ref": "#/components/responses/Error"
     },
     "409": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     },
     "502": {
      "$ref": "#/components/responses/Error"
     },
     "503": {
      "$ref": "#/components/responses/Error"
     },
     "504": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/v1/history": {
   "get": {
    "summary": "Where items were",
    "tags": [
     "history"
    ],
    "x-role": "reader",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "parameters": [
     {
      "name": "item",
      "in": "query",
      "required": false,
      "description": "Only this item.",
      "schema": {
       "type": "string"
      }
     },
     {
      "name": "from",
      "in": "query",
      "required": false,
      "description": "The beginning; a day before the end by default.",
      "schema": {
       "type": "string",
       "format": "date-time"
      }
     },
     {
      "name": "to",
      "in": "query",
      "required": false,
      "description": "The end; now by default.",
      "schema": {
       "type": "string",
       "format": "date-time"
      }
     },
     {
      "name": "limit",
      "in": "query",
      "required": false,
      "description": "The most stays in the response.",
      "schema": {
       "type": "integer",
       "minimum": 1,
       "maximum": 1000
      }
     },
     {
      "name": "cursor",
      "in": "query",
      "required": false,
      "description": "The next of the response before.",
      "schema": {
       "type": "string"
      }
     },
     {
      "name": "format",
      "in": "query",
      "required": false,
      "description": "csv or json, instead of the header Accept.",
      "schema": {
       "type": "string",
       "enum": [
        "csv",
        "json"
       ]
      }
     }
    ],
    "responses": {
     "200": {
      "description": "The stays that overlap the time, by item and beginning.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object",
         "properties": {
          "stays": {
           "type": "array",
           "items": {
            "$ref": "#/components/schemas/Stay"
           }
          },
          "next": {
           "anyOf": [
            {
             "type": "string"
            },
            {
             "type": "null"
            }
           ]
          }
         },
         "required": [
          "stays",
          "next"
         ]
        }
       },
       "text/csv; charset=utf-8": {
        "schema": {
         "type": "string"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "404": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     },
     "503": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/v1/history/at": {
   "get": {
    "summary": "Where every item was at a time",
    "tags": [
     "history"
    ],
    "x-role": "reader",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "parameters": [
     {
      "name": "time",
      "in": "query",
      "required": true,
      "description": "The time.",
      "schema": {
       "type": "string",
       "format": "date-time"
      }
     }
    ],
    "responses": {
     "200": {
      "description": "The states.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object",
         "properties": {
          "items": {
           "type": "array",
           "items": {
            "$ref": "#/components/schemas/State"
           }
          }
         },
         "required": [
          "items"
         ]
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "404": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     },
     "503": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/v1/history/rooms": {
   "get": {
    "summary": "How long items were in each room",
    "tags": [
     "history"
    ],
    "x-role": "reader",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "parameters": [
     {
      "name": "item",
      "in": "query",
      "required": false,
      "description": "Only this item.",
      "schema": {
       "type": "string"
      }
     },
     {
      "name": "from",
      "in": "query",
      "required": false,
      "description": "The beginning; a day before the end by default.",
      "schema": {
       "type": "string",
       "format": "date-time"
      }
     },
     {
      "name": "to",
      "in": "query",
      "required": false,
      "description": "The end; now by default.",
      "schema": {
       "type": "string",
       "format": "date-time"
      }
     }
    ],
    "responses": {
     "200": {
      "description": "Seconds by item and room.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object",
         "properties": {
          "rooms": {
           "type": "array",
           "items": {
            "type": "object",
            "properties": {
             "item": {
              "type": "string"
             },
             "presence": {
              "type": "string",
              "enum": [
               "home",
               "away",
               "unknown"
              ]
             },
             "room": {
              "type": "string"
             },
             "seconds": {
              "type": "number"
             }
            },
            "required": [
             "item",
             "presence",
             "seconds"
            ]
           }
          }
         },
         "required": [
          "rooms"
         ]
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "404": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     },
     "503": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  }
 },
 "components": {
  "schemas": {
   "Error": {
    "type": "object",
    "properties": {
     "error": {
      "type": "string",
      "description": "One sentence."
     }
    },
    "required": [
     "error"
    ]
   },
   "Notify": {
    "type": "object",
    "properties": {
     "left": {
      "type": "boolean"
     },
     "returned": {
      "type": "boolean"
     },
     "after_s": {
      "type": "integer",
      "minimum": 0,
      "maximum": 31536000
     },
     "repeat_s": {
      "type": "integer",
      "minimum": 1,
      "maximum": 31536000
     },
     "until_s": {
      "type": "integer",
      "minimum": 1,
      "maximum": 31536000
     },
     "from": {
      "type": "string",
      "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"
     },
     "to": {
      "type": "string",
      "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"
     },
     "left_text": {
      "type": "string",
      "maxLength": 1000
     },
     "returned_text": {
      "type": "string",
      "maxLength": 1000
     }
    }
   },
   "Item": {
    "type": "object",
    "properties": {
     "item": {
      "type": "string"
     },
     "name": {
      "type": "string"
     },
     "presence": {
      "type": "string",
      "enum": [
       "home",
       "away",
       "unknown"
      ]
     },
     "room": {
      "type": "string"
     },
     "confidence": {
      "type": "number"
     },
     "rooms": {
      "type": "object",
      "additionalProperties": {
       "type": "number"
      }
     },
     "gateway": {
      "type": "string"
     },
     "proximity": {
      "type": "string"
     },
     "accuracy_m": {
      "type": "number"
     },
     "since": {
      "type": "string",
      "format": "date-time"
     },
     "last_seen_at": {
      "type": "string",
      "format": "date-time"
     },
     "x_m": {
      "type": "number"
     },
     "y_m": {
      "type": "number"
     },
     "floor": {
      "type": "integer"
     },
     "error": {
      "type": "string"
     },
     "uuid": {
      "type": "string",
      "format": "uuid"
     },
     "major": {
      "type": "integer",
      "minimum": 0,
      "maximum": 65535
     },
     "minor": {
      "type": "integer",
      "minimum": 0,
      "maximum": 65535
     },
     "measured_power_dbm": {
      "type": "integer",
      "minimum": -100,
      "maximum": -10
     },
     "received": {
      "type": "boolean",
      "description": "Whether a gateway receives the item now."
     },
     "stale": {
      "type": "boolean",
      "description": "Whether nobody updates the location: the aggregator or the broker does not run."
     },
     "configured": {
      "type": "boolean",
      "description": "Whether the item is part of the configuration, so that no request changes it."
     },
     "notification": {
      "anyOf": [
       {
        "type": "object"
       },
       {
        "type": "null"
       }
      ]
     },
     "notify": {
      "anyOf": [
       {
        "$ref": "#/components/schemas/Notify"
       },
       {
        "type": "null"
       }
      ]
     }
    },
    "required": [
     "item",
     "name",
     "presence",
     "uuid",
     "major",
     "minor",
     "stale",
     "configured"
    ]
   },
   "RegistryItem": {
    "type": "object",
    "properties": {
     "id": {
      "type": "string"
     },
     "name": {
      "type": "string"
     },
     "uuid": {
      "type": "string",
      "format": "uuid"
     },
     "major": {
      "type": "integer",
      "minimum": 0,
      "maximum": 65535
     },
     "minor": {
      "type": "integer",
      "minimum": 0,
      "maximum": 65535
     },
     "measured_power_dbm": {
      "type": "integer",
      "minimum": -100,
      "maximum": -10
     },
     "notify": {
      "$ref": "#/components/schemas/Notify"
     }
    },
    "required": [
     "id",
     "name",
     "uuid",
     "major",
     "minor"
    ]
   },
   "NewItem": {
    "type": "object",
    "properties": {
     "name": {
      "type": "string",
      "minLength": 1,
      "maxLength": 256,
      "pattern": "\\S"
     },
     "uuid": {
      "type": "string",
      "format": "uuid"
     },
     "major": {
      "type": "integer",
      "minimum": 0,
      "maximum": 65535
     },
     "minor": {
      "type": "integer",
      "minimum": 0,
      "maximum": 65535
     },
     "id": {
      "type": "string",
      "pattern": "^[a-z0-9][a-z0-9_.-]{0,63}$"
     },
     "measured_power_dbm": {
      "type": "integer",
      "minimum": -100,
      "maximum": -10
     },
     "notify": {
      "$ref": "#/components/schemas/Notify"
     }
    },
    "required": [
     "name",
     "uuid",
     "major",
     "minor"
    ]
   },
   "ItemChange": {
    "type": "object",
    "properties": {
     "name": {
      "type": "string",
      "minLength": 1,
      "maxLength": 256,
      "pattern": "\\S"
     },
     "measured_power_dbm": {
      "anyOf": [
       {
        "type": "integer",
        "minimum": -100,
        "maximum": -10
       },
       {
        "type": "null"
       }
      ]
     },
     "notify": {
      "anyOf": [
       {
        "type": "object"
       },
       {
        "type": "null"
       }
      ]
     }
    },
    "additionalProperties": false,
    "minProperties": 1,
    "description": "Members that are absent stay; null removes a setting."
   },
   "Gateway": {
    "type": "object",
    "properties": {
     "id": {
      "type": "string"
     },
     "room": {
      "type": "string"
     },
     "alive": {
      "type": "boolean"
     },
     "availability": {
      "type": "string"
     },
     "version": {
      "type": "string"
     },
     "radio": {
      "type": "object",
      "properties": {
       "source": {
        "type": "string"
       },
       "interface": {
        "type": "string"
       },
       "state": {
        "type": "string"
       },
       "reason": {
        "type": "string"
       }
      }
     },
     "problems": {
      "type": "array",
      "items": {
       "type": "string"
      }
     },
     "regions": {
      "type": "integer"
     },
     "last_info_at": {
      "type": "string",
      "format": "date-time"
     }
    },
    "required": [
     "id",
     "alive",
     "problems"
    ]
   },
   "Plan": {
    "type": "object",
    "properties": {
     "floors": {
      "type": "array",
      "items": {
       "type": "object",
       "properties": {
        "floor": {
         "type": "integer"
        },
        "rooms": {
         "type": "array",
         "items": {
          "type": "object",
          "properties": {
           "name": {
            "type": "string"
           },
           "polygon_m": {
            "type": "array",
            "items": {
             "type": "array",
             "items": {
              "type": "number"
             },
             "minItems": 2,
             "maxItems": 2
            }
           }
          },
          "required": [
           "name",
           "polygon_m"
          ]
         }
        }
       },
       "required": [
        "floor",
        "rooms"
       ]
      }
     },
     "doors": {
      "type": "array",
      "items": {
       "type": "object",
       "properties": {
        "between": {
         "type": "array",
         "items": {
          "type": "string"
         },
         "minItems": 2,
         "maxItems": 2
        },
        "at_m": {
         "anyOf": [
          {
           "type": "array",
           "items": {
            "type": "number"
           },
           "minItems": 2,
           "maxItems": 2
          },
          {
           "type": "null"
          }
         ]
        },
        "floor": {
         "type": "integer"
        }
       }
      }
     },
     "gateways": {
      "type": "array",
      "items": {
       "type": "object",
       "properties": {
        "id": {
         "type": "string"
        },
        "x_m": {
         "type": "number"
        },
        "y_m": {
         "type": "number"
        },
        "floor": {
         "type": "integer"
        }
       },
       "required": [
        "id",
        "x_m",
        "y_m"
       ]
      }
     },
     "editable": {
      "type": "boolean"
     },
     "picture": {
      "type": "boolean"
     }
    },
    "required": [
     "floors",
     "doors",
     "gateways"
    ]
   },
   "Site": {
    "type": "object",
    "properties": {
     "version": {
      "type": "string"
     },
     "time": {
      "type": "string",
      "format": "date-time"
     },
     "broker_connected": {
      "type": "boolean"
     },
     "aggregator_alive": {
      "type": "boolean"
     },
     "problems": {
      "type": "array",
      "items": {
       "type": "string"
      }
     },
     "rooms": {
      "type": "array",
      "items": {
       "type": "string"
      }
     },
     "plan": {
      "anyOf": [
       {
        "$ref": "#/components/schemas/Plan"
       },
       {
        "type": "null"
       }
      ]
     },
     "role": {
      "anyOf": [
       {
        "type": "string",
        "enum": [
         "admin",
         "reader"
        ]
       },
       {
        "type": "null"
       }
      ]
     },
     "user": {
      "type": "string"
     },
     "login_required": {
      "type": "boolean"
     },
     "csrf": {
      "type": "string"
     }
    },
    "required": [
     "role",
     "csrf",
     "login_required",
     "time"
    ]
   },
   "Stay": {
    "type": "object",
    "properties": {
     "item": {
      "type": "string"
     },
     "presence": {
      "type": "string",
      "enum": [
       "home",
       "away",
       "unknown"
      ]
     },
     "room": {
      "anyOf": [
       {
        "type": "string"
       },
       {
        "type": "null"
       }
      ]
     },
     "from": {
      "type": "string",
      "format": "date-time"
     },
     "to": {
      "anyOf": [
       {
        "type": "string",
        "format": "date-time"
       },
       {
        "type": "null"
       }
      ]
     }
    },
    "required": [
     "item",
     "presence",
     "room",
     "from",
     "to"
    ]
   },
   "State": {
    "type": "object",
    "properties": {
     "item": {
      "type": "string"
     },
     "presence": {
      "type": "string",
      "enum": [
       "home",
       "away",
       "unknown"
      ]
     },
     "room": {
      "anyOf": [
       {
        "type": "string"
       },
       {
        "type": "null"
       }
      ]
     },
     "since": {
      "type": "string",
      "format": "date-time"
     }
    },
    "required": [
     "item",
     "presence",
     "room",
     "since"
    ]
   },
   "Survey": {
    "type": "object",
    "properties": {
     "number": {
      "type": "integer"
     },
     "room": {
      "type": "string"
     },
     "item": {
      "type": "string"
     },
     "at": {
      "type": "string",
      "format": "date-time"
     },
     "seconds": {
      "type": "integer"
     },
     "gateways": {
      "type": "integer"
     }
    },
    "required": [
     "number",
     "room",
     "item",
     "at",
     "seconds",
     "gateways"
    ]
   },
   "SurveyProgress": {
    "type": "object",
    "properties": {
     "state": {
      "type": "string",
      "enum": [
       "running",
       "done",
       "discarded",
       "failed"
      ]
     },
     "finished": {
      "type": "boolean"
     },
     "item": {
      "type": "string"
     },
     "room": {
      "type": "string"
     },
     "survey": {
      "$ref": "#/components/schemas/Survey"
     },
     "alike": {
      "type": "array",
      "items": {
       "type": "object",
       "properties": {
        "room": {
         "type": "string"
        },
        "other": {
         "type": "string"
        },
        "share": {
         "type": "number"
        }
       }
      }
     },
     "elapsed_s": {
      "type": "integer"
     },
     "for_s": {
      "type": "integer"
     },
     "presence": {
      "type": "string",
      "enum": [
       "home",
       "away",
       "unknown"
      ]
     },
     "located_in": {
      "type": "string"
     },
     "gateway": {
      "type": "string"
     },
     "error": {
      "type": "string"
     }
    },
    "required": [
     "state",
     "finished",
     "item",
     "room"
    ]
   }
  },
  "responses": {
   "Error": {
    "description": "Why the request is refused.",
    "content": {
     "application/json": {
      "schema": {
       "$ref": "#/components/schemas/Error"
      }
     }
    }
   }
  },
  "securitySchemes": {
   "token": {
    "type": "http",
    "scheme": "bearer"
   },
   "session": {
    "type": "apiKey",
    "in": "cookie",
    "name": "forgetmenot"
   }
  }
 }
}

"""#,
    "plan.js": #"""
// The floor plan: rooms, doors, gateways, and items where they are believed to be. Only marks that move are touched in a frame.
// The first axis of the plan points right, the second up.

import { h, s, setText, setAttribute, calm } from './dom.js';
import { items, gateways, isStale } from './store.js';
import { certainty, sentence, count } from './text.js';

// With more items on a floor, dots are drawn on a canvas, and only those searched for or chosen have a mark of their own.
const CROWD = 250;
const LABELS = 60;
const SETTLE = 220;

const isAway = (dx, dy) => dx * dx + dy * dy > 0.06;

export function bounds(plan) {
  let [left, bottom, right, top] = [Infinity, Infinity, -Infinity, -Infinity];
  const add = (x, y) => {
    left = Math.min(left, x); right = Math.max(right, x);
    bottom = Math.min(bottom, y); top = Math.max(top, y);
  };
  for (const floor of plan.floors) for (const room of floor.rooms) for (const [x, y] of room.polygon_m) add(x, y);
  for (const gateway of plan.gateways) if (gateway.x_m != null) add(gateway.x_m, gateway.y_m);
  return left < right && bottom < top ? { left, bottom, right, top } : { left: 0, bottom: 0, right: 10, top: 8 };
}

export function inside([x, y], polygon) {
  let is = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
    const [xi, yi] = polygon[i];
    const [xj, yj] = polygon[j];
    if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) is = !is;
  }
  return is;
}

// Where a room's name stands: near the top edge, in the middle of the part of the room there, but beside a gateway. All in metres.
export function labelPoint(polygon, inset, gateways = [], half = 0) {
  const ys = polygon.map(([, y]) => y);
  const xs = polygon.map(([x]) => x);
  const y = Math.max(...ys) - inset;
  const step = (Math.max(...xs) - Math.min(...xs)) / 40 || 1;
  const inner = [];
  for (let x = Math.min(...xs) + step / 2; x < Math.max(...xs); x += step) if (inside([x, y], polygon)) inner.push(x);
  const isClear = (x) => !gateways.some((gateway) => Math.abs(gateway.x_m - x) < half && Math.abs(gateway.y_m - y) < 1.2 * inset);
  for (const share of [0.5, 0.3, 0.7]) {
    const x = inner[0] + (inner.at(-1) - inner[0]) * share;
    if (inner.length && isClear(x)) return [x, y];
  }
  return inner.length ? [(inner[0] + inner.at(-1)) / 2, y] : [xs.reduce((a, b) => a + b) / xs.length, ys.reduce((a, b) => a + b) / ys.length];
}

// The wall through a door's position: the direction of the nearest edge of its rooms.
export function doorLine(door, rooms, half = 0.45) {
  let best = null;
  if (!door.at_m) return null;
  const [x, y] = door.at_m;
  for (const room of rooms) {
    if (!door.between.includes(room.name)) continue;
    room.polygon_m.forEach(([ax, ay], index) => {
      const [bx, by] = room.polygon_m[(index + 1) % room.polygon_m.length];
      const length = Math.hypot(bx - ax, by - ay) || 1;
      const [ux, uy] = [(bx - ax) / length, (by - ay) / length];
      const along = Math.max(0, Math.min(length, (x - ax) * ux + (y - ay) * uy));
      const distance = Math.hypot(ax + ux * along - x, ay + uy * along - y);
      if (!best || distance < best.distance) best = { distance, ux, uy, px: ax + ux * along, py: ay + uy * along };
    });
  }
  if (!best || best.distance > 1) return null;
  return [[best.px - best.ux * half, best.py - best.uy * half], [best.px + best.ux * half, best.py + best.uy * half]];
}

const ruler = document.createElement('canvas').getContext('2d');
const widths = new Map();
function widthOf(text) {
  if (!widths.has(text)) {
    if (widths.size > 10_000) widths.clear();
    ruler.font = '500 12px Inter, system-ui, sans-serif';
    widths.set(text, ruler.measureText(text).width);
  }
  return widths.get(text);
}

export class PlanView {
  #plan = null;
  #floor = 0;
  #marks = new Map();
  #moving = new Set();
  #frame = 0;
  #last = 0;
  #selected = null;
  #found = null;
  #layoutTimer = 0;
  #scale = 1;

  constructor({ onSelect, onRoom }) {
    this.onSelect = onSelect;
    this.onRoom = onRoom;
    this.floors = h('div', { class: 'segments floors', role: 'group', 'aria-label': 'Floor' });
    this.canvas = h('canvas', { 'aria-hidden': 'true' });
    this.rooms = s('g', { class: 'rooms' });
    this.fixtures = s('g', { class: 'fixtures' });
    this.clip = s('clipPath', { id: 'house' });
    this.areas = s('g', { 'clip-path': 'url(#house)' });
    this.layer = s('g', { class: 'marks' });
    this.svg = s('svg', { class: 'plan', role: 'img', 'aria-label': 'Floor plan' }, this.rooms);
    // The canvas with the crowd is between the rooms and the marks.
    this.top = s('svg', { class: 'plan over', 'aria-hidden': 'true' }, this.clip, this.areas, this.fixtures, this.layer);
    this.frameBox = h('div', { class: 'planbox' }, this.svg, this.canvas, this.top);
    this.element = h('div', { class: 'planview' }, this.floors, this.frameBox);
    new ResizeObserver(() => this.#draw()).observe(this.frameBox);
    this.top.addEventListener('click', (event) => {
      const id = event.target.closest('.mark')?.dataset.id ?? this.#nearest(event);
      if (id) return this.onSelect?.(id);
      const room = this.#roomAt(event);
      if (room) this.onRoom?.(room);
    });
    calm.addEventListener('change', () => this.update());
  }

  set(plan) {
    this.#plan = plan;
    const numbers = plan.floors.map((floor) => floor.floor).sort((a, b) => a - b);
    if (!numbers.includes(this.#floor)) this.#floor = numbers.includes(0) ? 0 : numbers[0] ?? 0;
    this.floors.hidden = numbers.length < 2;
    this.floors.replaceChildren(...numbers.map((number) =>
      h('button', { type: 'button', 'data-floor': number, 'aria-pressed': String(number === this.#floor), onclick: () => this.setFloor(number) },
        h('span', {}, number === 0 ? 'Ground floor' : number < 0 ? `Basement ${number === -1 ? '' : -number}` : `Floor ${number}`),
        h('b', { class: 'number' }, ''))));
    this.#draw();
  }

  setFloor(number) {
    if (number === this.#floor || !this.#plan?.floors.some((floor) => floor.floor === number)) return;
    this.#floor = number;
    for (const button of this.floors.children) setAttribute(button, 'aria-pressed', String(Number(button.dataset.floor) === number));
    this.#clear();
    this.#draw();
  }

  // Shows an item with its uncertainty, on its floor.
  select(id) {
    const old = this.#selected;
    this.#selected = id;
    const item = items.get(id);
    if (item?.floor != null) this.setFloor(item.floor);
    this.update(new Set([old, id].filter(Boolean)));
  }

  // Marks what the search found; null: no search.
  want(ids) {
    if (!ids && !this.#found) return;
    this.#found = ids;
    if (ids?.size === 1) {
      const item = items.get([...ids][0]);
      if (item?.floor != null) this.setFloor(item.floor);
    }
    this.update();
  }

  // Fills rooms by time spent; null: none.
  heat(seconds) {
    const most = seconds ? Math.max(1, ...Object.values(seconds)) : 1;
    for (const room of this.rooms.querySelectorAll('.room')) {
      const share = seconds ? (seconds[room.dataset.room] ?? 0) / most : 0;
      room.style.setProperty('--heat', share.toFixed(3));
    }
    this.element.classList.toggle('heated', !!seconds);
  }

  #point(x, y) {
    const { left, top } = this.box;
    return [this.ox + (x - left) * this.#scale, this.oy + (top - y) * this.#scale];
  }

  #draw() {
    if (!this.#plan) return;
    const { width, height } = this.frameBox.getBoundingClientRect();
    if (!width || !height) return;
    this.box = bounds(this.#plan);
    const [w, t] = [this.box.right - this.box.left, this.box.top - this.box.bottom];
    const margin = 14;
    this.#scale = Math.min((width - 2 * margin) / w, (height - 2 * margin) / t);
    this.ox = (width - w * this.#scale) / 2;
    this.oy = (height - t * this.#scale) / 2;
    for (const svg of [this.svg, this.top]) setAttribute(svg, 'viewBox', `0 0 ${width} ${height}`);
    const density = devicePixelRatio || 1;
    this.canvas.width = width * density;
    this.canvas.height = height * density;
    this.density = density;
    const floor = this.#plan.floors.find((floor) => floor.floor === this.#floor) ?? { rooms: [] };
    this.floorRooms = floor.rooms;
    const path = (polygon) => polygon.map(([x, y]) => this.#point(x, y).map((v) => v.toFixed(1)).join()).join(' ');
    this.rooms.replaceChildren(
      ...floor.rooms.map((room) => s('polygon', { class: 'room', points: path(room.polygon_m), 'data-room': room.name })),
      ...this.#plan.doors.filter((door) => (door.floor ?? 0) === this.#floor).map((door) => {
        const line = doorLine(door, floor.rooms);
        if (!line) return null;
        const [[x1, y1], [x2, y2]] = line.map(([x, y]) => this.#point(x, y));
        return s('line', { class: 'door', x1, y1, x2, y2 });
      }).filter(Boolean),
      ...floor.rooms.map((room) => {
        const [x, y] = this.#point(...labelPoint(room.polygon_m, 18 / this.#scale, this.#plan.gateways, (widthOf(room.name) / 2 + 12) / this.#scale));
        return s('text', { class: 'roomname', x, y: y + 4 }, room.name);
      }));
    // The areas end at the walls.
    this.clip.replaceChildren(...floor.rooms.map((room) => s('polygon', { points: path(room.polygon_m) })));
    this.gateways();
    // After a change of size everything jumps; nothing has moved.
    for (const mark of this.#marks.values()) mark.x = undefined;
    this.update();
  }

  gateways() {
    if (!this.#plan || !this.box) return;
    this.fixtures.replaceChildren(...this.#plan.gateways.filter((gateway) => (gateway.floor ?? 0) === this.#floor && gateway.x_m != null)
      .map((place) => {
        const [x, y] = this.#point(place.x_m, place.y_m);
        const gateway = gateways.get(place.id);
        const isWell = gateway?.alive && gateway.radio?.state === 'powered_on';
        return s('g', { class: `gateway${isWell ? '' : ' down'}`, transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` },
          s('title', {}, `Gateway ${place.id}: ${isWell ? 'receives' : 'does not receive'}`),
          s('rect', { x: -5.5, y: -5.5, width: 11, height: 11, rx: 3 }), isWell ? s('circle', { r: 1.75 }) : s('path', { d: 'M-2.2-2.2 2.2 2.2M2.2-2.2-2.2 2.2' }));
      }));
  }

  #clear() {
    this.#marks.clear();
    this.#moving.clear();
    this.layer.replaceChildren();
    this.areas.replaceChildren();
  }

  #shows(item) {
    return item && item.x_m != null && (item.floor ?? 0) === this.#floor && item.presence === 'home';
  }

  // Takes over positions of the given ids, or of all items.
  update(changed) {
    if (!this.#plan || !this.box) return;
    if (changed) {
      for (const id of changed) this.#place(id);
      for (const id of changed) this.#count(id);
    } else {
      for (const id of [...this.#marks.keys()]) if (!this.#shows(items.get(id))) this.#drop(id);
      let here = 0;
      for (const item of items.values()) if (this.#shows(item)) here++;
      this.crowded = here > CROWD;
      for (const id of items.keys()) this.#place(id);
      this.#tally = null;
    }
    this.#labelFloors();
    this.crowded = this.#marks.size > CROWD;
    if (!changed || this.wasCrowded !== this.crowded) {
      this.wasCrowded = this.crowded;
      for (const [id, mark] of this.#marks) this.#dress(id, mark);
      this.#paint();
    }
    if (!this.#layoutTimer) this.#layoutTimer = setTimeout(() => { this.#layoutTimer = 0; this.#layout(); }, 120);
    this.#animate();
  }

  #tally = null;
  #floorOf = new Map();
  #count(id) {
    const item = items.get(id);
    const now = item?.x_m != null && item.presence === 'home' ? item.floor ?? 0 : undefined;
    const before = this.#floorOf.get(id);
    if (now === before || !this.#tally) return;
    if (before !== undefined) this.#tally.set(before, (this.#tally.get(before) ?? 1) - 1);
    if (now !== undefined) this.#tally.set(now, (this.#tally.get(now) ?? 0) + 1);
    if (now === undefined) this.#floorOf.delete(id); else this.#floorOf.set(id, now);
  }
  #labelFloors() {
    if (!this.#tally) {
      this.#tally = new Map();
      this.#floorOf.clear();
      for (const id of items.keys()) this.#count(id);
    }
    for (const button of this.floors.children) setText(button.lastChild, String(this.#tally.get(Number(button.dataset.floor)) ?? 0));
    const here = this.#tally.get(this.#floor) ?? 0;
    setAttribute(this.svg, 'aria-label', `Floor plan with ${count(here, 'item')}. The list of items has the same in words.`);
  }

  #place(id) {
    const item = items.get(id);
    if (!this.#shows(item)) return this.#drop(id);
    let mark = this.#marks.get(id);
    if (!mark) {
      mark = {};
      this.#marks.set(id, mark);
    }
    [mark.tx, mark.ty] = this.#point(item.x_m, item.y_m);
    mark.tr = Math.max(9, Math.min(400, (item.accuracy_m ?? 1) * this.#scale));
    if (mark.x === undefined || calm.matches) {
      mark.x = mark.tx; mark.y = mark.ty; mark.r = mark.tr;
    }
    this.#moving.add(mark);
    this.#dress(id, mark);
  }

  #drop(id) {
    const mark = this.#marks.get(id);
    if (!mark) return;
    this.#marks.delete(id);
    this.#moving.delete(mark);
    if (mark.g) {
      const { g, spot } = mark;
      g.classList.add('leaving');
      spot.remove();
      setTimeout(() => g.remove(), calm.matches ? 0 : 400);
    }
    this.repaint = true;
  }

  // Gives a mark its element if it needs one, and its look.
  #dress(id, mark) {
    const item = items.get(id);
    if (!item) return;
    const isWanted = id === this.#selected || !!item.notification || (this.#found?.has(id) && this.#found.size <= 50);
    if (this.crowded && !isWanted) {
      mark.g?.remove();
      mark.spot?.remove();
      mark.g = undefined;
      return;
    }
    if (!mark.g) {
      mark.spot = s('circle', { class: 'area' });
      mark.text = s('text', { class: 'label', y: 4 });
      mark.title = s('title');
      mark.pin = s('g', { class: 'pin' }, s('circle', { class: 'dot', r: 5.5 }), mark.text, mark.title);
      mark.g = s('g', { class: 'mark' }, mark.pin);
      mark.g.dataset.id = id;
      mark.cx = undefined;
      this.layer.append(mark.g);
      this.areas.append(mark.spot);
    }
    setText(mark.text, item.name);
    setText(mark.title, sentence(item));
    const isDimmed = this.#found ? !this.#found.has(id) : false;
    const look = `${certainty(item)}${isStale(item) ? ' stale' : ''}${id === this.#selected ? ' selected' : ''}${isDimmed ? ' dimmed' : ''}`;
    setAttribute(mark.g, 'class', `mark ${look}`);
    setAttribute(mark.spot, 'class', `area ${look}`);
    this.#draft(mark);
  }

  #draft(mark) {
    if (!mark.g) return;
    if (mark.cx !== mark.x || mark.cy !== mark.y) {
      const place = `translate(${mark.x.toFixed(2)} ${mark.y.toFixed(2)})`;
      mark.g.setAttribute('transform', place);
      mark.spot.setAttribute('transform', place);
      mark.cx = mark.x; mark.cy = mark.y;
    }
    if (mark.cr !== mark.r) mark.spot.setAttribute('r', (mark.cr = mark.r).toFixed(1));
  }

  #animate() {
    if (this.#frame || (!this.#moving.size && !this.repaint)) return;
    this.#last = performance.now();
    const step = (now) => {
      const share = 1 - Math.exp(-Math.min(64, now - this.#last) / SETTLE);
      this.#last = now;
      let isCrowdMoving = this.repaint;
      this.repaint = false;
      for (const mark of this.#moving) {
        if (isAway(mark.tx - mark.x, mark.ty - mark.y) || Math.abs(mark.tr - mark.r) > 0.3) {
          mark.x += (mark.tx - mark.x) * share;
          mark.y += (mark.ty - mark.y) * share;
          mark.r += (mark.tr - mark.r) * share;
        } else {
          mark.x = mark.tx; mark.y = mark.ty; mark.r = mark.tr;
          this.#moving.delete(mark);
        }
        if (mark.g) this.#draft(mark); else isCrowdMoving = true;
      }
      if (isCrowdMoving) this.#paint();
      this.#frame = this.#moving.size || this.repaint ? requestAnimationFrame(step) : 0;
    };
    this.#frame = requestAnimationFrame(step);
  }

  // The crowd, on the canvas: one fill for each look.
  #paint() {
    const context = this.canvas.getContext('2d');
    context.setTransform(this.density, 0, 0, this.density, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    if (!this.crowded) return;
    const style = getComputedStyle(this.element);
    this.colours ??= { at: 0 };
    if (performance.now() - this.colours.at > 1000) {
      this.colours = { at: performance.now(), sure: style.getPropertyValue('--accent'), dim: style.getPropertyValue('--muted') };
    }
    const paths = { sure: new Path2D(), dim: new Path2D() };
    for (const [id, mark] of this.#marks) {
      if (mark.g) continue;
      const item = items.get(id);
      const isDim = (this.#found && !this.#found.has(id)) || certainty(item) === 'doubtful';
      paths[isDim ? 'dim' : 'sure'].rect(mark.x - 1.75, mark.y - 1.75, 3.5, 3.5);
    }
    context.globalAlpha = this.#found ? 0.25 : 0.4;
    context.fillStyle = this.colours.dim;
    context.fill(paths.dim);
    context.globalAlpha = 0.75;
    context.fillStyle = this.colours.sure;
    context.fill(paths.sure);
  }

  // Moves pins apart that overlap, and puts each name where there is space for it, or hides it.
  #layout() {
    const marks = [...this.#marks].filter(([, mark]) => mark.g).sort(([a], [b]) => (a === this.#selected ? -1 : b === this.#selected ? 1 : a < b ? -1 : 1));
    const width = this.frameBox.clientWidth;
    const taken = [];
    const isFree = (left, top, right, bottom) =>
      left > 2 && right < width - 2 && taken.every((box) => right < box[0] || left > box[2] || bottom < box[1] || top > box[3]);
    for (const gateway of this.fixtures.children) {
      const [, x, y] = /translate\(([-\d.]+) ([-\d.]+)\)/.exec(gateway.getAttribute('transform')) ?? [];
      if (x) taken.push([x - 6, y - 6, +x + 6, +y + 6]);
    }
    for (const name of this.rooms.querySelectorAll('.roomname')) {
      const half = widthOf(name.textContent) / 2;
      const [x, y] = [+name.getAttribute('x'), +name.getAttribute('y')];
      taken.push([x - half, y - 11, x + half, y + 3]);
    }
    for (const [, mark] of marks) {
      let [dx, dy] = [0, 0];
      for (let turn = 0; turn < 24; turn++) {
        const [angle, radius] = [turn * 2.399963, 9 * Math.sqrt(turn)];
        [dx, dy] = [radius * Math.cos(angle), radius * Math.sin(angle)];
        const [x, y] = [mark.tx + dx, mark.ty + dy];
        if (isFree(x - 6, y - 6, x + 6, y + 6)) break;
      }
      mark.dx = dx; mark.dy = dy;
      const [x, y] = [mark.tx + dx, mark.ty + dy];
      taken.push([x - 6, y - 6, x + 6, y + 6]);
      mark.pin.style.transform = `translate(${dx.toFixed(1)}px, ${dy.toFixed(1)}px)`;
    }
    const hasLabels = marks.length <= LABELS;
    for (const [id, mark] of marks) {
      const [x, y] = [mark.tx + mark.dx, mark.ty + mark.dy];
      const text = widthOf(mark.text.textContent);
      const spots = [[10, 4, 'start'], [-10, 4, 'end'], [0, 20, 'middle'], [0, -11, 'middle'], [9, 15, 'start'], [9, -7, 'start'], [-9, 15, 'end'], [-9, -7, 'end']];
      let chosen = null;
      for (const [dx, dy, anchor] of spots) {
        const left = x + dx - (anchor === 'end' ? text : anchor === 'middle' ? text / 2 : 0);
        const box = [left, y + dy - 10, left + text, y + dy + 3];
        if (!isFree(...box)) continue;
        chosen = [dx, dy, anchor];
        if (hasLabels || id === this.#selected) taken.push(box);
        break;
      }
      const isShown = id === this.#selected || (hasLabels && chosen);
      chosen ??= spots[0];
      setAttribute(mark.text, 'x', chosen[0]);
      setAttribute(mark.text, 'y', chosen[1]);
      setAttribute(mark.text, 'text-anchor', chosen[2]);
      mark.text.classList.toggle('crowded', !isShown);
    }
  }

  #where(event) {
    const { left, top } = this.frameBox.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  }
  #nearest(event) {
    if (!this.crowded) return null;
    const [x, y] = this.#where(event);
    let best = null;
    for (const [id, mark] of this.#marks) {
      const distance = Math.hypot(mark.x - x, mark.y - y);
      if (distance < (best?.distance ?? 10)) best = { id, distance };
    }
    return best?.id;
  }
  #roomAt(event) {
    const [px, py] = this.#where(event);
    const at = [(px - this.ox) / this.#scale + this.box.left, this.box.top - (py - this.oy) / this.#scale];
    return this.floorRooms?.find((room) => inside(at, room.polygon_m))?.name;
  }

  // For tests and views: where an item's mark is now, in px of the plan.
  position(id) {
    const mark = this.#marks.get(id);
    return mark && { x: mark.x, y: mark.y, tx: mark.tx, ty: mark.ty };
  }
}

"""#,
    "store.js": #"""
// What the page knows, and the live stream that keeps it so. Views subscribe; they are called at most once a frame, with what changed.

import { stream, setToken, get, query } from './api.js';
import { millis } from './text.js';

export const items = new Map();
export const gateways = new Map();
export const strips = new Map();
export const state = { site: null, live: 'connecting', liveSince: Date.now(), lastEventAt: null, loaded: false, survey: null };

const views = new Set();
let changes = blank();
let scheduled = false;

// `items` is true if the set of items changed, otherwise `changed` has the ids of those that did.
function blank() {
  return { items: false, changed: new Set(), gateways: false, site: false, live: false, strips: false, survey: false, events: [] };
}
function schedule() {
  if (scheduled) return;
  scheduled = true;
  // A hidden page draws no frames; what it missed is one set of ids.
  requestAnimationFrame(() => {
    scheduled = false;
    const now = changes;
    changes = blank();
    for (const view of [...views]) view(now);
  });
}
export function subscribe(view) {
  views.add(view);
  return () => views.delete(view);
}

export const isLive = () => state.live === 'live';
export const isAdmin = () => state.site?.role === 'admin';
// The gateway's room, for sentences.
export const gatewayName = (id) => gateways.get(id)?.room ?? id;
// Whether what is shown of items may be out of date.
export const isStale = (item) => !isLive() || item.stale === true;

const handlers = {
  site(site) {
    state.site = site;
    setToken(site.csrf);
    changes.site = true;
  },
  items(list) {
    const rows = Array.isArray(list) ? list : list.items;
    items.clear();
    for (const item of rows) {
      items.set(item.item, item);
      note(item);
    }
    state.loaded = true;
    changes.items = true;
  },
  item(item) {
    const known = items.get(item.item);
    items.set(item.item, item);
    note(item);
    if (!known || known.name !== item.name || known.presence !== item.presence || !known.notification !== !item.notification) changes.items = true;
    changes.changed.add(item.item);
  },
  item_removed({ item }) {
    items.delete(item);
    strips.delete(item);
    changes.items = true;
    changes.changed.add(item);
  },
  gateways(list) {
    gateways.clear();
    for (const gateway of Array.isArray(list) ? list : list.gateways) gateways.set(gateway.id, gateway);
    changes.gateways = true;
  },
  gateway(gateway) {
    gateways.set(gateway.id, gateway);
    changes.gateways = true;
  },
  gateway_removed({ id, gateway }) {
    gateways.delete(id ?? gateway);
    changes.gateways = true;
  },
  survey(survey) {
    state.survey = survey;
    changes.survey = true;
  },
  event(event) {
    if (changes.events.length < 100) changes.events.push(event);
  },
};

// Events that come from the page itself after a request, so that the change shows before the stream brings it.
export function apply(name, value) {
  handlers[name](value);
  schedule();
}

function setLive(value) {
  if (state.live === value) return;
  state.live = value;
  state.liveSince = Date.now();
  changes.live = true;
  schedule();
}

// A page that nobody sees ends its stream after a minute: a browser has six connections to a host, for all its tabs.
const HIDDEN = 60_000;
const seen = () => new Promise((resolve) => {
  if (!document.hidden) return resolve();
  document.addEventListener('visibilitychange', resolve, { once: true });
});

// The stream sends something at least every 15 s. Silence for longer means that the connection is dead although nobody closed it.
const SILENCE = 35_000;
let wake = () => {};

export async function connect() {
  let delay = 500;
  for (;;) {
    const controller = new AbortController();
    let watchdog;
    let rest;
    const doze = () => {
      clearTimeout(rest);
      if (document.hidden) rest = setTimeout(() => controller.abort(), HIDDEN);
    };
    document.addEventListener('visibilitychange', doze);
    doze();
    const sign = () => {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => controller.abort(), SILENCE);
      state.lastEventAt = Date.now();
    };
    try {
      sign();
      await stream('stream', {
        signal: controller.signal,
        onBytes: sign,
        onEvent(name, data) {
          if (!handlers[name]) return;
          let value;
          try { value = JSON.parse(data); } catch { return; }
          handlers[name](value);
          if (name === 'items') {
            delay = 500;
            setLive('live');
          }
          schedule();
        },
      });
    } catch (problem) {
      if (problem.status === 401 || problem.status === 403) {
        clearTimeout(watchdog);
        setLive('login');
        return;
      }
    }
    clearTimeout(watchdog);
    clearTimeout(rest);
    document.removeEventListener('visibilitychange', doze);
    if (document.hidden && controller.signal.aborted) {
      await seen();
      continue;
    }
    setLive('lost');
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, delay * (0.75 + Math.random() / 2));
      wake = () => { clearTimeout(timer); delay = 500; resolve(); };
    });
    delay = Math.min(15_000, delay * 2);
  }
}
addEventListener('online', () => wake());
document.addEventListener('visibilitychange', () => { if (!document.hidden) wake(); });

// The strip of the last day: stays of each item, oldest first. It grows with what the stream reports.
export const DAY = 86_400_000;
const STAYS = 200;

function note(item, at = Date.now()) {
  const stays = strips.get(item.item);
  if (!stays) return;
  const last = stays.at(-1);
  const room = item.presence === 'home' ? item.room : undefined;
  if (last && last.to == null && last.presence === item.presence && last.room === room) return;
  const since = item.since ? Math.min(at, Math.max(millis(item.since), last?.from ?? 0)) : at;
  if (last && last.to == null) last.to = since;
  stays.push({ from: since, to: null, presence: item.presence, room });
  if (stays.length > STAYS) stays.shift();
}

// Rows of /history to stays with times in ms, by item.
export function staysByItem(rows) {
  const byItem = new Map();
  for (const row of rows) {
    const stay = { from: millis(row.from), to: row.to == null ? null : millis(row.to), presence: row.presence, room: row.room ?? undefined };
    if (byItem.has(row.item)) byItem.get(row.item).push(stay);
    else byItem.set(row.item, [stay]);
  }
  for (const stays of byItem.values()) stays.sort((a, b) => a.from - b.from);
  return byItem;
}

// All pages of /history, up to a limit that keeps the page small.
export async function history(values, pages = 10) {
  const rows = [];
  let cursor;
  do {
    const page = await get(`history?${query({ limit: 1000, ...values, cursor })}`);
    rows.push(...page.stays);
    cursor = page.next;
  } while (cursor && --pages > 0);
  return rows;
}

export async function loadStrips() {
  const rows = await history({ from: new Date(Date.now() - DAY).toISOString() });
  const byItem = staysByItem(rows);
  for (const [id, item] of items) {
    strips.set(id, byItem.get(id) ?? []);
    note(item);
  }
  changes.strips = true;
  schedule();
}

"""#,
    "strip.js": #"""
// The strip of a day: one rectangle for each stay. Home is filled, away is a thin line, unknown is an outline.

import { s } from './dom.js';

const tones = new Map();
// Neighbouring rooms get different tones of the one accent colour.
export function tone(room) {
  if (!tones.has(room)) tones.set(room, tones.size % 4);
  return tones.get(room);
}

export const strip = () => s('svg', { class: 'strip', viewBox: '0 0 1000 10', preserveAspectRatio: 'none', 'aria-hidden': 'true' });

// Draws stays between two times, in ms. Stays shorter than a pixel join their neighbour.
export function drawStrip(svg, stays, from, to, now = Date.now()) {
  const marks = [];
  const scale = 1000 / (to - from);
  for (const stay of stays ?? []) {
    const left = Math.max(0, (stay.from - from) * scale);
    const right = Math.min(1000, (Math.min(stay.to ?? now, now) - from) * scale);
    if (right <= left) continue;
    const isThin = stay.presence === 'away';
    if (stay.presence === 'unknown') {
      marks.push(s('rect', { class: 'unknown', x: left, width: Math.max(1.5, right - left), y: 4, height: 2 }));
    } else {
      marks.push(s('rect', {
        class: isThin ? 'away' : `home tone${tone(stay.room)}`, x: left, width: Math.max(1.5, right - left),
        y: isThin ? 4.25 : 0, height: isThin ? 1.5 : 10,
      }));
    }
  }
  svg.replaceChildren(...marks);
}

"""#,
    "tend.js": #"""
// Tend: add items from the beacons nearby, survey rooms, import and export.

import { h, setText, setAttribute, toast, dialog, announce } from './dom.js';
import { items, gateways, state, subscribe, isAdmin, gatewayName } from './store.js';
import { percent, metres, duration, when, count } from './text.js';
import { call, get, stream } from './api.js';

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
// A tag held against a gateway is received stronger than this.
const HELD = -50;

export function open() {
  const parts = isAdmin() || !state.site ? [adding(), surveys(), files(), plan()] : [h('p', { class: 'empty' }, 'You may look, but not change anything. Log in as an administrator.')];
  const element = h('div', { class: 'page tend' }, h('header', { class: 'pagehead' }, h('h1', {}, 'Tend')), parts.map((part) => part?.element ?? part));
  return { element, attached() { for (const part of parts) part?.attached?.(); }, close() { for (const part of parts) part?.close?.(); } };
}

const keyOf = (beacon) => `${beacon.uuid} ${beacon.major} ${beacon.minor}`;
const strength = (rssi) => Math.max(0, Math.min(1, (rssi + 100) / 65));

function adding() {
  const list = h('ul', { class: 'nearby', role: 'list', 'aria-label': 'Beacons nearby' });
  const hint = h('p', { class: 'none' }, 'Looking for beacons …');
  const known = h('p', { class: 'none' });
  const rows = new Map();
  const controller = new AbortController();
  let order = [];
  let latest = [];

  // While the pointer or the focus is on the list, its order stays, so that nothing moves away from under a finger.
  const isHeld = () => list.matches(':hover') || list.contains(document.activeElement);

  function show() {
    const free = latest.filter((beacon) => !beacon.item);
    const byKey = new Map(free.map((beacon) => [keyOf(beacon), beacon]));
    const sorted = [...byKey.keys()];
    order = isHeld() ? [...order.filter((key) => byKey.has(key)), ...sorted.filter((key) => !order.includes(key))] : sorted;
    order = order.slice(0, 40);
    for (const [key, row] of rows) if (!byKey.has(key) || !order.includes(key)) { row.remove(); rows.delete(key); }
    order.forEach((key, index) => {
      const beacon = byKey.get(key);
      let row = rows.get(key);
      if (!row) {
        row = make(key);
        rows.set(key, row);
      }
      row.beacon = beacon;
      const held = beacon.rssi_dbm >= HELD && sorted[0] === key;
      setAttribute(row, 'class', held ? 'held' : null);
      setText(row.parts.name, held ? 'Held against the gateway' : beacon.name || 'Beacon');
      setText(row.parts.id, `${beacon.uuid.slice(0, 8)}… · ${beacon.major} · ${beacon.minor}`);
      setText(row.parts.where, `${gatewayName(beacon.gateway)}${beacon.accuracy_m != null ? `, ${metres(beacon.accuracy_m)}` : ''}`);
      setText(row.parts.rssi, beacon.rssi_dbm == null ? '' : `${Math.round(beacon.rssi_dbm)} dBm`);
      row.parts.level.style.setProperty('--share', strength(beacon.rssi_dbm ?? -100).toFixed(3));
      if (list.children[index] !== row) list.insertBefore(row, list.children[index] ?? null);
    });
    hint.hidden = order.length > 0;
    if (!order.length) setText(hint, 'No new beacon is in range. Switch the tag on, and bring it near a gateway.');
    const taken = latest.length - free.length;
    setText(known, taken ? `${count(taken, 'beacon')} in range already ${taken === 1 ? 'belongs to an item' : 'belong to items'}.` : '');
  }

  function make() {
    const parts = { name: h('strong'), id: h('code'), where: h('span', { class: 'where' }), rssi: h('span', { class: 'rssi number' }), level: h('i', { 'aria-hidden': 'true' }) };
    const row = h('li', {}, h('div', { class: 'what' }, parts.name, parts.id), parts.where,
      h('span', { class: 'level' }, h('span', { class: 'bar-track' }, parts.level), parts.rssi),
      h('button', { type: 'button', class: 'small', onclick: () => add(row.beacon) }, 'Add'));
    row.parts = parts;
    return row;
  }

  async function add(beacon) {
    const live = h('span', { class: 'number' });
    const level = h('i', { 'aria-hidden': 'true' });
    const follow = setInterval(() => {
      const now = latest.find((other) => keyOf(other) === keyOf(beacon));
      setText(live, now?.rssi_dbm == null ? 'not received' : `${Math.round(now.rssi_dbm)} dBm`);
      level.style.setProperty('--share', strength(now?.rssi_dbm ?? -100).toFixed(3));
    }, 500);
    const name = await dialog('Add an item', (close) => {
      const input = h('input', { id: 'item-name', required: true, maxlength: 120, autocomplete: 'off', placeholder: 'Keys', autofocus: true });
      return h('form', { onsubmit: (event) => { event.preventDefault(); if (input.value.trim()) close(input.value.trim()); } },
        h('h2', {}, 'What carries this beacon?'),
        h('p', { class: 'beacon' }, h('code', {}, beacon.uuid), ` · major ${beacon.major} · minor ${beacon.minor}`),
        h('p', { class: 'level wide' }, h('span', { class: 'bar-track' }, level), live),
        h('label', { for: 'item-name' }, 'Name'), input,
        h('div', { class: 'buttons end' }, h('button', { type: 'button', onclick: () => close() }, 'Cancel'), h('button', { class: 'main' }, 'Add')));
    });
    clearInterval(follow);
    if (!name) return;
    try {
      await call('POST', 'items', { name, uuid: beacon.uuid, major: beacon.major, minor: beacon.minor });
      toast(`${name} is added.`);
      for (const other of latest) if (keyOf(other) === keyOf(beacon)) other.item = name;
      show();
    } catch (problem) {
      toast(problem.message, 'problem');
    }
  }

  async function follow() {
    let delay = 500;
    while (!controller.signal.aborted) {
      try {
        await stream('nearby', { signal: controller.signal, onOpen() { delay = 500; }, onEvent(name, data) {
          if (name !== 'nearby') return;
          latest = JSON.parse(data).beacons;
          show();
        } });
      } catch (problem) {
        if (controller.signal.aborted || problem.status === 401) return;
        setText(hint, problem.message);
        hint.hidden = false;
      }
      await new Promise((resolve) => setTimeout(resolve, delay));
      delay = Math.min(15_000, delay * 2);
    }
  }

  return {
    element: h('section', { class: 'card', 'aria-labelledby': 'adding' }, h('h2', { id: 'adding' }, 'Add an item'),
      h('p', { class: 'lead' }, 'Hold the tag against a gateway. The strongest beacon is on top.'), list, hint, known),
    attached() { follow(); },
    close() { controller.abort(); },
  };
}

const SURVEY = 60;

function surveys() {
  const room = h('select', { id: 'survey-room' });
  const item = h('select', { id: 'survey-item' });
  const length = h('select', { id: 'survey-length' }, [[30, '30 s'], [60, '1 min'], [180, '3 min']].map(([value, label]) => h('option', { value, selected: value === SURVEY }, label)));
  const start = h('button', { type: 'submit', class: 'main small' }, 'Start');
  const progress = h('div', { class: 'progress', hidden: true });
  const verdict = h('p', { class: 'verdict', role: 'status' });
  const table = h('ul', { class: 'surveyed', role: 'list' });
  let running = null;
  let clock = 0;

  function options(select, rows) {
    const value = select.value;
    const key = JSON.stringify(rows);
    if (select.key === key) return;
    select.key = key;
    select.replaceChildren(...rows.map(([id, label]) => h('option', { value: id }, label)));
    if (rows.some(([id]) => id === value)) select.value = value;
  }
  function fill() {
    const rooms = new Set([...(state.site?.rooms ?? []), ...[...gateways.values()].map((gateway) => gateway.room).filter(Boolean)]);
    options(room, [...rooms].sort(collator.compare).map((name) => [name, name]));
    options(item, [...items.values()].filter((one) => one.presence === 'home').sort((a, b) => collator.compare(a.name, b.name)).slice(0, 500).map((one) => [one.item, one.name]));
    start.disabled = !room.value || !item.value || !!running;
  }

  function show() {
    progress.hidden = !running;
    fill();
    if (!running) return;
    const passed = Math.max(0, Math.min(running.for_s, (Date.now() - running.began) / 1000));
    const left = Math.ceil(running.for_s - passed);
    fillBar.style.setProperty('--share', (passed / running.for_s).toFixed(3));
    setText(progressText, left > 0 ? `Walk around in ${running.room} with ${running.name}: along the walls, into the corners. ${left} s left.` : 'One moment …');
    setText(progressMore, !running.presence ? '' : running.presence !== 'home' ? `${running.name} is not received now. Is its tag awake?`
      : `Received${running.gateway ? ` best in ${gatewayName(running.gateway)}` : ''}. Without the survey it would be in ${running.located_in ?? 'no room'}.`);
  }
  const fillBar = h('i', { 'aria-hidden': 'true' });
  const progressText = h('p');
  const progressMore = h('p', { class: 'none' });
  progress.append(progressText, h('span', { class: 'bar-track big' }, fillBar), progressMore,
    h('button', { type: 'button', class: 'small', onclick: stop }, 'Cancel'));

  async function stop() {
    try { await call('DELETE', 'surveys/current'); } catch (problem) { toast(problem.message, 'problem'); }
    if (running) end(null);
  }
  function end(response) {
    clearInterval(clock);
    const was = running;
    running = null;
    show();
    if (was && response) {
      const survey = response.survey ?? {};
      const alike = (response.alike ?? []).filter((pair) => pair.room === was.room && pair.share >= 0.05)[0];
      const seconds = survey.seconds ?? 0;
      const text = response.state === 'failed' ? response.error : response.state === 'discarded' ? 'The survey is cancelled.' : seconds < 5 ? `Too few signals arrived from ${was.room}. The survey is not stored. Is the tag awake, and a gateway near?`
        : alike ? `${was.room} is surveyed: ${seconds} s, ${count(survey.gateways ?? 0, 'gateway')}. It is mistaken for ${alike.other} in ${percent(alike.share)} of cases. Another gateway near one of the two rooms helps.`
          : `${was.room} is surveyed: ${seconds} s, ${count(survey.gateways ?? 0, 'gateway')}. No other room is like it.`;
      setText(verdict, text);
      announce(text);
    }
    list();
  }
  async function list() {
    try {
      const { surveys: all = [], current } = await get('surveys');
      if (current && !running) take(current);
      table.replaceChildren(...all.map((survey) => h('li', {}, h('span', {}, h('strong', {}, survey.room), ` ${when(survey.at)}, ${duration(survey.seconds)}, ${count(survey.gateways, 'gateway')}`),
        h('button', { type: 'button', class: 'small quiet', 'aria-label': `Forget the surveys of ${survey.room}`, onclick: async () => {
          try { await call('DELETE', `surveys/${encodeURIComponent(survey.room)}`); toast(`The surveys of ${survey.room} are forgotten.`); list(); } catch (problem) { toast(problem.message, 'problem'); }
        } }, 'Forget'))));
    } catch (problem) {
      table.replaceChildren(h('li', { class: 'none' }, problem.message));
    }
  }
  // A survey runs once per site, whichever page began it.
  const take = (response) => {
    if (!response || (response.state !== 'running' && !running)) return;
    if (response.state !== 'running') return end(response);
    if (!running) {
      running = { item: response.item, room: response.room, name: items.get(response.item)?.name ?? response.item, for_s: response.for_s };
      verdict.textContent = '';
      clock = setInterval(show, 500);
    }
    Object.assign(running, { began: Date.now() - response.elapsed_s * 1000, presence: response.presence, located_in: response.located_in, gateway: response.gateway });
    show();
  };

  const form = h('form', { class: 'inline', onsubmit: async (event) => {
    event.preventDefault();
    const request = { item: item.value, room: room.value, for_s: Number(length.value) };
    verdict.textContent = '';
    start.disabled = true;
    try {
      take(await call('POST', 'surveys', request));
    } catch (problem) {
      toast(problem.message, 'problem');
    }
    fill();
  } }, h('p', { class: 'field' }, h('label', { for: 'survey-room' }, 'Room'), room), h('p', { class: 'field' }, h('label', { for: 'survey-item' }, 'with'), item), h('p', { class: 'field' }, h('label', { for: 'survey-length' }, 'for'), length), start);

  let leave;
  return {
    element: h('section', { class: 'card', 'aria-labelledby': 'surveying' }, h('h2', { id: 'surveying' }, 'Survey a room'),
      h('p', { class: 'lead' }, 'Carry an item around a room for a minute. The aggregator learns how the room is received, and reports which rooms are hard to distinguish.'), form, progress, verdict, table),
    attached() {
      fill();
      list();
      leave = subscribe((changes) => {
        if (changes.items || changes.gateways || changes.site) fill();
        if (changes.survey) take(state.survey);
      });
    },
    close() { leave?.(); clearInterval(clock); },
  };
}

function files() {
  const result = h('div', { role: 'status' });
  const input = h('input', { type: 'file', id: 'import', accept: '.json,application/json', class: 'hidden', onchange: async () => {
    const [file] = input.files;
    if (!file) return;
    try {
      if (file.size > 4_000_000) throw new Error(`${file.name} is larger than 4 MB: this is no export of items.`);
      const response = await call('POST', 'items/import', new Blob([await file.text()], { type: 'application/json' }), { raw: true });
      const refused = response?.refused ?? [];
      result.replaceChildren(h('p', {}, `${count(response?.added ?? 0, 'item')} added${refused.length ? `, ${refused.length} refused:` : '.'}`),
        refused.length ? h('ul', { class: 'problems' }, refused.slice(0, 20).map((one) => h('li', {}, one.error))) : '');
    } catch (problem) {
      result.replaceChildren(h('p', { class: 'problem' }, problem.message));
    }
    input.value = '';
  } });
  return h('section', { class: 'card', 'aria-labelledby': 'files' }, h('h2', { id: 'files' }, 'Import and export'),
    h('p', { class: 'lead' }, 'The file has all items with their beacons and notification rules.'),
    h('div', { class: 'buttons' }, h('a', { class: 'button', href: 'api/v1/items/export', download: 'items.json' }, 'Export items'),
      input, h('label', { class: 'button', for: 'import' }, 'Import items')), result);
}

function plan() {
  return h('section', { class: 'card', 'aria-labelledby': 'planning' }, h('h2', { id: 'planning' }, 'Floor plan'),
    h('p', { class: 'lead' }, 'Draw the rooms, and drag the gateways to their places.'), h('div', { class: 'buttons' }, h('a', { class: 'button', href: '#/plan' }, state.site?.plan ? 'Edit the plan' : 'Draw the plan')));
}

"""#,
    "text.js": #"""
// Sentences about items and times. Nothing here touches the page.

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'short' });
const longDay = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });
const shortDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

export const millis = (time) => (time == null ? NaN : typeof time === 'number' ? time : Date.parse(time));
export const time = (at) => clock.format(millis(at));

export function startOfDay(at) {
  const day = new Date(millis(at));
  day.setHours(0, 0, 0, 0);
  return day.getTime();
}
export function addDays(at, days) {
  const day = new Date(at);
  day.setDate(day.getDate() + days);
  return day.getTime();
}

export function day(at, now = Date.now()) {
  const start = startOfDay(at);
  if (start === startOfDay(now)) return 'Today';
  if (start === addDays(startOfDay(now), -1)) return 'Yesterday';
  const year = new Date(start).getFullYear();
  return year === new Date(now).getFullYear() ? longDay.format(start) : `${longDay.format(start)} ${year}`;
}

// "14:02" today, "Tue 14:02" this week, "3 Nov, 14:02" before.
export function when(at, now = Date.now()) {
  const value = millis(at);
  if (Number.isNaN(value)) return '';
  const days = Math.round((startOfDay(now) - startOfDay(value)) / 86_400_000);
  if (days === 0) return time(value);
  return days > 0 && days < 7 ? `${weekday.format(value)} ${time(value)}` : `${shortDay.format(value)}, ${time(value)}`;
}

export function ago(at, now = Date.now()) {
  const seconds = (now - millis(at)) / 1000;
  if (Number.isNaN(seconds)) return 'never';
  if (seconds < 90) return 'now';
  if (seconds < 3600) return `${Math.round(seconds / 60)} min ago`;
  return when(at, now);
}

export function duration(seconds) {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  return `${Math.round(hours / 24)} days`;
}

export const percent = (share) => `${Math.round(share * 100)} %`;
export const metres = (distance) => (distance < 10 ? `${distance.toFixed(1)} m` : `${Math.round(distance)} m`);
export const count = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;

// How sure the room is: certain, likely, doubtful; or away, unknown. The page shows each of them in another way.
export function certainty(item) {
  if (item.presence === 'away') return 'away';
  if (item.presence !== 'home') return 'unknown';
  if (!item.room) return 'doubtful';
  const confidence = item.confidence ?? 0;
  return confidence >= 0.8 ? 'certain' : confidence >= 0.5 ? 'likely' : 'doubtful';
}

export function place(item) {
  switch (certainty(item)) {
    case 'certain': return item.room;
    case 'likely': return `Probably ${item.room}`;
    case 'doubtful': return item.room ? `Perhaps ${item.room}` : 'At home';
    case 'away': return 'Away';
    default: return item.room ? `Unknown, last in ${item.room}` : 'Unknown';
  }
}

const distances = { immediate: 'at', near: 'near', far: 'far from' };

// What supports the place: the gateway, since when. `gatewayName` gives the room of a gateway.
export function support(item, gatewayName, now = Date.now()) {
  if (item.error) return item.error;
  switch (item.presence) {
    case 'home': {
      const distance = distances[item.proximity];
      if (!distance || !item.gateway) return '';
      const room = gatewayName(item.gateway);
      return room === item.room ? `${distance} the gateway` : `${distance} ${room}’s gateway`;
    }
    case 'away': return item.since ? `since ${when(item.since, now)}` : '';
    default: return item.last_seen_at ? `no gateway knows since ${when(item.last_seen_at, now)}` : 'no gateway has received it';
  }
}

export function sentence(item, now = Date.now()) {
  const name = item.name;
  switch (certainty(item)) {
    case 'certain': return `${name}: ${item.room}, ${percent(item.confidence)} sure.`;
    case 'away': return `${name}: away${item.since ? ` since ${when(item.since, now)}` : ''}.`;
    default: return `${name}: ${place(item).toLowerCase() === 'unknown' ? 'unknown' : place(item)}.`;
  }
}

// Folds case and accents, so that "schlussel" finds "Schlüssel".
export const fold = (text) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

"""#,
]
