"""Renders every template of every discovery payload with Home Assistant's own engine, over every form of payload that it can meet."""

import json

from processes import Failed

TEMPLATES = ("value_template", "json_attributes_template")


def forms(payload: bytes) -> list[dict]:
    """A payload as it was sent, without each of its keys, with each `null`, and without any; and the empty one of a cleared topic."""
    try:
        whole = json.loads(payload)
    except ValueError:
        return [{}]
    if not isinstance(whole, dict):
        return [{}]
    found = [{"value_json": whole}, {"value_json": {}}, {}]
    for key in whole:
        found.append({"value_json": {k: v for k, v in whole.items() if k != key}})
    for word in ("home", "away", "unknown"):
        found.append({"value_json": whole | {"presence": word}})
    for word in ("powered_on", "powered_off", "unknown"):
        found.append({"value_json": whole | {"radio": {"state": word, "source": "x"}}})
        found.append({"value_json": whole | {"radio": {"state": word, "source": "x", "reason": "why"}}})
    for number in (0.0, 0.04, 0.3, 1.49, 2.7, 11.9, 99.0, 1234.5):
        found.append({"value_json": whole | {"accuracy_m": number, "adverts_per_s": number}})
    return found


def check(home, observer) -> int:
    count = 0
    for topic, discovery in sorted(observer.retained.items()):
        if not topic.startswith("homeassistant/device/"):
            continue
        for name, component in json.loads(discovery)["cmps"].items():
            for key in TEMPLATES:
                if key not in component:
                    continue
                source = component.get("json_attributes_topic") if key.startswith("json") else None
                source = source or component.get("state_topic") or component.get("topic")
                for variables in forms(observer.seen.get(source, b"{}")):
                    text = home.render(component[key], {"value": ""} | variables)
                    count += 1
                    judge(name, component, key, text, variables)
    if count < 100:
        raise Failed(f"only {count} templates were rendered")
    return count


def check_distances(home, observer) -> None:
    """A distance that is shown stays with noise, and no longer than "within 3 m" bears."""
    payload = json.loads(observer.retained["homeassistant/device/forgetmenot_item_laptop-bag/config"])
    template = payload["cmps"]["distance"]["value_template"]
    for shown, estimate, expected in ((3.1, 1.6, 1.6), (1.6, 3.1, 3.1), (3.1, 2.4, 3.1), (2.4, 3.1, 2.4), (8.0, 5.0, 8.0), (0.4, 0.1, 0.4)):
        text = home.render(template, {"value": "", "this": {"state": str(shown)}, "value_json": {"accuracy_m": estimate}})
        if float(text) != expected:
            raise Failed(f"{shown} m is shown, {estimate} m is the estimate, and the entity would have {text}")


def judge(name: str, component: dict, key: str, text, variables: dict) -> None:
    """Whether what was rendered is what the entity takes without a warning."""
    # The REST interface gives what looks like JSON as JSON.
    value = text if isinstance(text, str) else json.dumps(text)
    if key.startswith("json"):
        attributes = json.loads(value)
        if not isinstance(attributes, dict):
            raise Failed(f"{name}: attributes are {value!r} over {variables}")
        radio = variables.get("value_json", {}).get("radio", {})
        if name == "radio_problem" and ("reason" in attributes) != bool(radio.get("reason") and radio.get("state") != "powered_on"):
            raise Failed(f"{name}: the reason stands, or does not, in {value!r} over {variables}")
        return
    options = component.get("options")
    match component["p"]:
        case "sensor" if value != "None":
            is_right = (options is None or value in options) and (not is_number_wanted(component) or is_number(value))
        case "binary_sensor":
            is_right = value in ("ON", "OFF", "None")
        case "device_tracker":
            is_right = value in ("home", "not_home", "None")
        case "event" if value:
            is_right = json.loads(value).get("event_type") in component["event_types"]
        case _:
            is_right = True
    if not is_right:
        raise Failed(f"{name} would say {value!r} over {json.dumps(variables)[:400]}")


def is_number_wanted(component: dict) -> bool:
    return "unit_of_measurement" in component


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
