"""What choose must show, and whether it does."""

from __future__ import annotations

import numpy as np

from benchmarks.decisions.choice_tables import ChoiceFindings

RATIO, AGAINST, HARMED, WORST = 0.89, 0.93, 0.05, 1.10
STATED, ERRORS_HELD, GAINS_HELD = (0.96, 1.04), (0.87, 0.95), (0.87, 0.94)
UNCLEAR, UNCLEAR_AIM = 0.5, 0.4
HELPS, HARMLESS, HURTS, HURTS_MEAN = 0.90, 0.92, 0.90, 0.75


def goals(found: ChoiceFindings) -> str:
    """Return one line per goal."""
    lines = [*_of_policies(found), *_of_statements(found), *_of_calls(found), *_of_order(found)]
    return "\n".join(f"- {line}" for line in lines)


def _of_policies(found: ChoiceFindings) -> list[str]:
    ours = found.policies.set_index("policy").loc["choose"]
    rivals = {name: found.against[name] for name in ("kin_weighted", "kin_weighted_trees")}
    glm, trees = rivals.values()
    n, below = int(ours["collections"]), int(ours["below"])
    return [
        f"error ratio against alone at most {RATIO}: {ours['ratio_value']:.3f} "
        f"[{ours['ratio_low']:.3f}, {ours['ratio_high']:.3f}], {_met(ours['ratio_value'] <= RATIO)}",
        f"below 1 in all collections but one: {below} of {n}, {_met(below >= n - 1)}",
        f"error ratio against KinWeighted at most {AGAINST}: {glm['value']:.3f} [{glm['low']:.3f}, "
        f"{glm['high']:.3f}], {_met(glm['value'] <= AGAINST)} (with trees: {trees['value']:.3f} "
        f"[{trees['low']:.3f}, {trees['high']:.3f}])",
        f"at most {HARMED:.0%} of the draws harmed by more than 2%: {ours['harmed']:.1%} in error, "
        f"{_met(ours['harmed'] <= HARMED)}; {ours['harmed_loss']:.1%} in loss, "
        f"{_met(ours['harmed_loss'] <= HARMED)}; {ours['harmed_surely']:.1%} in error beyond the noise "
        f"of the test rows",
        f"no target worse by more than 10% on average: worst {ours['worst']:.3f} "
        f"({ours['worst_target']}), {_met(ours['worst'] <= WORST)}",
    ]


def _of_statements(found: ChoiceFindings) -> list[str]:
    ratio = found.stated.set_index("collection").loc["mean", "ratio"]
    held = found.intervals.set_index("interval")
    error = held.loc["error of the choice", "mean"]
    real = held.loc["error of the choice, real collections", "mean"]
    lines = [
        f"stated / realised error from {STATED[0]} to {STATED[1]}: {ratio:.3f}, "
        f"{_met(STATED[0] <= ratio <= STATED[1])}",
        f"90% intervals of the error hold {ERRORS_HELD[0]:.0%} to {ERRORS_HELD[1]:.0%} (mean of "
        f"collections): {error:.1%}, {_within(error, ERRORS_HELD)}; real collections "
        f"{_shown(real)}, {_within(real, ERRORS_HELD)}",
    ]
    for name in ("gain of a source", "gain of the choice"):
        share, mean = held.loc[name, "all"], held.loc[name, "mean"]
        lines.append(
            f"90% intervals of the {name} hold {GAINS_HELD[0]:.0%} to {GAINS_HELD[1]:.0%}: {share:.1%}, "
            f"{_within(share, GAINS_HELD)}; {mean:.1%} as a mean of collections"
        )
    return lines


def _of_calls(found: ChoiceFindings) -> list[str]:
    calls = found.calls.set_index("call")
    unclear = calls.loc["unclear", "share"]
    aim = "met" if unclear <= UNCLEAR_AIM else "not met"
    lines = [
        f"at most {UNCLEAR:.0%} of the calls unclear: {unclear:.1%}, {_met(unclear <= UNCLEAR)} (aim: "
        f"{UNCLEAR_AIM:.0%}, {aim})"
    ]
    for call, least in (("helps", HELPS), ("harmless", HARMLESS), ("hurts", HURTS)):
        row = calls.loc[call]
        right, mean = row["right_all"], row["right_mean"]
        text = f"{call} right at least {least:.0%}: {_shown(right)} of {row['calls']:.0f} calls, "
        text += f"{_met(right >= least, right)}; {_shown(mean)} as a mean of collections"
        if call == "hurts":
            text += f" (at least {HURTS_MEAN:.0%}), {_met(mean >= HURTS_MEAN, mean)}"
        lines.append(text)
    return lines


def _of_order(found: ChoiceFindings) -> list[str]:
    if not len(found.order):
        return ["order of the sources: not known"]
    tau = found.order.set_index("order")["tau_value"]
    pairs = found.order_pairs[found.order_pairs["measure"] == "tau"].set_index("rival")
    lines = []
    for rival in ("directional", "source_error"):
        gap = pairs.loc[rival]
        lines.append(
            f"tau of the order above that of {rival}: {tau['trial']:.3f} against {tau[rival]:.3f}, "
            f"difference {gap['value']:.3f} [{gap['low']:.3f}, {gap['high']:.3f}], "
            f"{_met(gap['value'] > 1e-9)}"
        )
    return lines


def _met(is_met: bool, value: float = 0.0) -> str:
    if np.isnan(value):
        return "not known"
    return "met" if is_met else "**not met**"


def _within(value: float, ends: tuple[float, float]) -> str:
    return _met(ends[0] <= value <= ends[1], value)


def _shown(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.1%}"
