# The page's JavaScript in a folder where every version of Node takes it for modules: "$folder", until the script ends.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp Sources/CPage/Assets/*.js Tests/page/unit/*.js "$folder"
echo '{"type": "module"}' >"$folder/package.json"
