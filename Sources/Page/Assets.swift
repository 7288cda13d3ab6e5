// swift-format-ignore-file
// Written by Sources/Page/embed from the files in Assets: change those.

/// The files of the page, by name.
let embeddedAssets: [String: StaticString] = [
    "index.html": #"""
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Forgetmenot</title>
<p>The page.</p>
</html>

"""#,
]
