"""Decode advertisements with packages of PyPI, and print a name and millions per second of processor time for each.

    peers.py FOLDER OF THE PACKAGES, FILE OF ADVERTISEMENTS

Each package gets what BlueZ gives its users: manufacturer data that is split already.
"""
import asyncio
import json
import sys
import time

sys.path.insert(0, sys.argv[1])


def manufacturer(data):
    """Return the manufacturer data of an advertisement; None if there is none."""
    place = 0
    while place + 1 < len(data) and data[place]:
        if data[place + 1] == 0xFF:
            return data[place + 2:place + 1 + data[place]]
        place += data[place] + 1
    return None


def measure(name, samples, decode):
    """Decode all samples, and print what was found and how fast."""
    found, begin = 0, time.process_time()
    for sample in samples:
        found += decode(sample)
    spent = time.process_time() - begin
    assert found > len(samples) // 5, f"{name} found {found}"
    print(f"{name}\t{len(samples) / spent / 1e6:.3f}")


with open(sys.argv[2]) as file:
    parts = [manufacturer(bytes.fromhex(line)) for line in file]

try:
    from TheengsDecoder import decodeBLE
    texts = [json.dumps({"id": "C0:00:00:00:00:01", "rssi": -60, **({"manufacturerdata": part.hex()} if part else {})})
             for part in parts]
    measure("TheengsDecoder", texts, lambda text: '"uuid"' in (decodeBLE(text) or ""))
except ImportError:
    pass

try:
    from home_assistant_bluetooth import BluetoothServiceInfo
    from ibeacon_ble import is_ibeacon_service_info, iBeaconParser
    infos = [BluetoothServiceInfo(
        name="", address="C0:00:00:00:00:01", rssi=-60, service_data={}, service_uuids=[], source="local",
        manufacturer_data={int.from_bytes(part[:2], "little"): part[2:]} if part and len(part) > 3 else {})
        for part in parts]
    parser = iBeaconParser()
    # The names of manufacturers, which the parser adds to each advertisement.
    asyncio.run(parser.async_setup())
    measure("ibeacon-ble", infos, lambda info: is_ibeacon_service_info(info) and parser.parse(info) is not None)
except ImportError:
    pass
