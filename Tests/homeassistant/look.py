"""Looks at a dashboard with Chromium, as wide as a desk and as a phone have it."""

import json
import pathlib
import shutil
import sys

from processes import Failed

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "page"))

# All text of a page, that of the custom elements included, which have trees of their own.
TEXT = """(() => {
    const of = node => node.nodeType == Node.TEXT_NODE ? node.data
        : ["STYLE", "SCRIPT"].includes(node.nodeName) ? ""
        : [...(node.shadowRoot ? node.shadowRoot.childNodes : []), ...node.childNodes].map(of).join("")
    return of(document.body)
})()"""
# How far a table reaches beyond its card, or has to be scrolled.
EXCESS = """(() => {
    const all = root => [...root.querySelectorAll("*")].flatMap(node => [node, ...(node.shadowRoot ? all(node.shadowRoot) : [])])
    const card = node => node.nodeName == "HA-CARD" ? node : card(node.parentNode ?? node.host)
    const right = node => node.getBoundingClientRect().right
    return Math.max(0, ...all(document).filter(node => node.nodeName == "TABLE").flatMap(
        node => [node.scrollWidth - node.clientWidth, right(node) - right(card(node))]))
})()"""


def look(home, folder: pathlib.Path, views: dict[str, str]) -> None:
    """Opens each view, waits for its text, and leaves a picture of it in `folder`. Does nothing where there is no Chromium."""
    if shutil.which("chromium") is None:
        print("  not looked at: there is no Chromium", flush=True)
        return
    from browser import Browser

    folder.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(folder / "chromium", ignore_errors=True)
    browser = Browser(folder)
    try:
        page = browser.page()
        address = f"http://127.0.0.1:{home.port}"
        page.open(f"{address}/manifest.json")
        tokens = {
            "access_token": home.token, "token_type": "Bearer", "expires_in": 10**6, "expires": 10**14, "refresh_token": "",
            "hassUrl": address, "clientId": f"{address}/",
        }
        page.run(f"localStorage.setItem('hassTokens', {json.dumps(json.dumps(tokens))})")
        for width in (1280, 390):
            page.emulate(width=width, height=820, phone=width < 500)
            for view, text in views.items():
                page.open(f"{address}/{view}")
                page.wait(f"{text} at {width} px", f"{TEXT}.includes({json.dumps(text)})")
                page.screenshot(folder / f"{view.replace('/', '-')}-{width}.png")
                if excess := page.run(EXCESS):
                    raise Failed(f"{view} is {excess} px too wide at {width} px")
                if "rror" in page.run(TEXT):
                    raise Failed(f"{view} has an error at {width} px: {page.run(TEXT)[-500:]}")
    finally:
        browser.end()
