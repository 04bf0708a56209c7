"""Deterministic damage: to texts and bytes blindly, to JSON with an eye for its parts."""

import copy
import json

import numpy as np

DEEP = "[" * 30_000 + "]" * 30_000
# Texts that stand where a value was; a JSON library could not write most of them.
RAW = [
    *(
        "null",
        "true",
        "-1",
        "0",
        "2.5",
        '""',
        '"x"',
        "[]",
        "{}",
        "[[]]",
        "1e308",
        "-1e308",
        "5e-324",
    ),
    *("NaN", "-Infinity", "1e400", "9" * 30, "9" * 5000, "1" + "0" * 300 + ".5", DEEP),
    *('{"type": "float", "value": "inf"}', '{"type": "float", "value": [1]}', '{"type": "float"}'),
    *('{"type": "array", "values": 3}', '{"type": "array", "values": [[1, 2], [3]]}'),
    *('{"type": "array", "values": ["a"]}', '{"type": "dict", "items": [[[1], 2]]}'),
    *('{"type": "dict", "items": [[{}, 2]]}', '{"type": "Zone", "value": "positive"}'),
    *(
        '{"type": "Zone", "value": []}',
        '{"type": "Provenance"}',
        '{"type": []}',
        '{"type": "Record"}',
    ),
    *('{"type": "packed floats", "n": 35000, "symmetric": true, "data": ""}', '"\\ud800"'),
    *('{"type": "packed choices", "n": 2, "choices": [], "data": "AAAA"}', '"\\u0000"'),
    *('{"a": 1, "a": 2}', "35000", "9007199254740993", '{"type": "Ranking"}'),
]
MARK = "\u241fdamage\u241f"


def damaged_bytes(content, seed):
    """Return bytes with one to three faults."""
    rng = np.random.default_rng([1, seed])
    made = bytearray(content)
    for _ in range(int(rng.integers(1, 4))):
        at = int(rng.integers(len(made) + 1))
        size = int(rng.choice([1, 2, 8, 100]))
        match rng.integers(6):
            case 0 if at < len(made):
                made[at] ^= 1 << int(rng.integers(8))
            case 1:
                del made[at : at + size]
            case 2:
                made[at:at] = rng.bytes(size)
            case 3 if at:
                del made[at:]
            case 4:
                made[at:at] = made[at : at + size]
            case _:
                made[at : at + size] = bytes(
                    rng.choice(list(b'0123456789eE+-.,:[]{}"tn'), size=size)
                )
    return bytes(made)


def damaged_json(text, seed):
    """Return JSON text one part of which is gone, doubled, moved or something else."""
    rng = np.random.default_rng([2, seed])
    tree = json.loads(text)
    path, parent = [], tree
    while True:  # walk down to a random part
        keys = list(parent) if isinstance(parent, dict) else range(len(parent))
        key = keys[int(rng.integers(len(keys)))]
        path.append(key)
        child = parent[key]
        if not isinstance(child, (dict, list)) or not child or rng.random() < 0.15:
            break
        parent = child
    action = int(rng.integers(10))
    if action == 0:
        del parent[key]
    elif action == 1 and isinstance(parent, dict):
        parent[f"{key}x"] = parent.pop(key)
    elif action == 2 and isinstance(parent, list):
        parent[key:key] = [copy.deepcopy(child)] * int(rng.choice([1, 2, 1000]))
    elif action == 3 and isinstance(parent, dict):
        return json.dumps(tree).replace(f'"{key}":', f'"{key}": 1, "{key}":', 1)
    elif action == 4:
        other = list(parent) if isinstance(parent, dict) else range(len(parent))
        swap = other[int(rng.integers(len(other)))]
        parent[key], parent[swap] = parent[swap], parent[key]
    else:
        parent[key] = MARK
        return json.dumps(tree).replace(json.dumps(MARK), RAW[int(rng.integers(len(RAW)))])
    return json.dumps(tree)
