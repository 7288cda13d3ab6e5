"""Prints what the integrations that the test uses require, from their manifests in an unpacked wheel."""

import json
import pathlib
import sys

USED = (
    "api auth automation binary_sensor button config counter device_automation device_tracker event frontend history http "
    "light logbook lovelace mobile_app mqtt mqtt_room onboarding person recorder sensor sun template websocket_api zone "
    # Not used, but loaded along with them.
    "assist_pipeline camera conversation ffmpeg image_processing infrared radio_frequency stream tts"
).split()


def requirements(components: pathlib.Path) -> set[str]:
    """What they and all that they depend on require."""
    found, seen, waiting = set(), set(), list(USED)
    while waiting:
        name = waiting.pop()
        manifest = components / name / "manifest.json"
        if name in seen or not manifest.exists():
            continue
        seen.add(name)
        content = json.loads(manifest.read_text())
        found.update(content.get("requirements", []))
        waiting += content.get("dependencies", []) + content.get("after_dependencies", [])
    return found


if __name__ == "__main__":
    print("\n".join(sorted(requirements(pathlib.Path(sys.argv[1]) / "homeassistant" / "components"))))
