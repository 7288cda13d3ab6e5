#!/usr/bin/python3
"""Checks the files of the apps against the form that Home Assistant's documentation of apps describes: check.py FOLDER VERSION.

Prints a sentence for each mistake, and ends with 1 if there is one.
"""
import pathlib
import re
import sys

import yaml

REQUIRED = {"name", "version", "slug", "description", "arch"}
KNOWN = REQUIRED | {"startup", "ingress", "ingress_port", "panel_icon", "panel_title", "services", "homeassistant_api", "watchdog", "backup",
                    "map", "options", "schema", "host_network", "privileged"}
FILES = ["config.yaml", "README.md", "DOCS.md", "icon.png", "logo.png", "translations/en.yaml", "translations/de.yaml"]
folder, version = pathlib.Path(sys.argv[1]), sys.argv[2]
mistakes = []


def matches(value, form):
    """Whether a value has the form that a schema states."""
    if isinstance(form, list):
        return isinstance(value, list) and all(matches(each, form[0]) for each in value)
    if isinstance(form, dict):
        return isinstance(value, dict) and value.keys() == form.keys() and all(matches(value[key], form[key]) for key in form)
    kind, _, rest = form.rstrip("?").partition("(")
    pattern = {"str": ".*", "list": rest[:-1], "match": rest[:-1]}[kind]
    return isinstance(value, str) and re.fullmatch(pattern, value) is not None


repository = yaml.safe_load((folder / "repository.yaml").read_text(encoding="utf-8"))
if repository.keys() != {"name", "url", "maintainer"}:
    mistakes.append(f"repository.yaml has {sorted(repository)}")
apps = sorted(path.parent for path in folder.glob("*/config.yaml"))
if [app.name for app in apps] != ["forgetmenot", "forgetmenot-gateway"]:
    mistakes.append(f"the apps are {apps}")
for app in apps:
    mistakes += [f"{app.name} has no {name}" for name in FILES if not (app / name).exists()]
    config = yaml.safe_load((app / "config.yaml").read_text(encoding="utf-8"))
    mistakes += [f"{app.name}/config.yaml has no {key}" for key in REQUIRED - config.keys()]
    mistakes += [f"{app.name}/config.yaml has the key {key}, which is not known" for key in config.keys() - KNOWN]
    if config["slug"] != app.name or config["version"] != version or config["arch"] != ["aarch64", "amd64"]:
        mistakes.append(f"{app.name}/config.yaml: slug, version ({version}) or arch is another one")
    if not matches(config["options"], config["schema"]):
        mistakes.append(f"{app.name}/config.yaml: the options do not have the form of the schema")
    for language in ("en", "de"):
        texts = yaml.safe_load((app / f"translations/{language}.yaml").read_text(encoding="utf-8"))["configuration"]
        if texts.keys() != config["schema"].keys() or any(text.keys() != {"name", "description"} for text in texts.values()):
            mistakes.append(f"{app.name}/translations/{language}.yaml does not have each option's name and description")
    # Each app asks only for what it needs: the supervisor rates that.
    if config.get("host_network", False) != (app.name == "forgetmenot-gateway") or ("privileged" in config) != (app / "apparmor.txt").exists():
        mistakes.append(f"{app.name}: host network, privileges and apparmor.txt do not belong together")
print("\n".join(mistakes))
sys.exit(1 if mistakes else 0)
