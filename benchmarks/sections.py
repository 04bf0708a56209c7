"""The sections of RESULTS.md: what each says, and the functions that measure it.

A part is a caption and ``module:function``; the function returns rows and columns of a table, and
may take ``quick``.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Section:
    name: str
    title: str
    text: str
    parts: tuple[tuple[str, str], ...]
    is_usual: bool = True  # part of `make bench`


SECTIONS = (
    Section(
        "ratios",
        "Against what a user would write",
        """\
Ratios are the peer's time over ours, from calls that take turns in one process: medians over
rounds, and beside them ratios of the least CPU times. `plain`: algorithm 2 with scikit-learn and
XGBoost and the paper's models, 36 fits per dataset and model, every pair anew. `careful`: every dataset
once, 31 fits. Ours in three ways: the default; `models="paper"`, the default until November 2026; and
`as_in_paper()`, which draws inner folds anew, 31 fits. CPU times are with one thread; the wall ratio
sets two threads of ours against one of the peer.""",
        (("", "ratios:pairs"), ("", "ratios:groups")),
    ),
    Section(
        "large",
        "The same on more rows",
        """\
Growth of the plain script at p = 50: CPU seconds, and the power law fitted to it, from which its
time at 20,000 rows is read. Above `max_rows` (10,000) datakin scores samples, with a standard error.""",
        (("", "large:pairs"), ("", "large:growth"), ("", "large:sampled")),
    ),
    Section(
        "huge",
        "20,000 rows, all of them",
        "`max_rows=None`: no samples. The plain script's time is extrapolated, as above.",
        (("", "large:exact"),),
        is_usual=False,
    ),
    Section(
        "gains",
        "What each fitter gains",
        """\
All fits of a pair of datasets and their predictions, by scikit-learn or XGBoost and by ours, by turns
(before December 2026: the sixteen fits of one dataset and the rows left out). XGBoost's trees are its
own: what is saved is what stands around them.""",
        (("", "gains:gains"),),
    ),
    Section(
        "exactness",
        "Exactness",
        """\
Twenty random pairs of datasets a task, 120 to 400 rows, three folds, every prediction of every fit:
mean (largest). Classes: share of predictions with another label. Regression: largest difference in
standard deviations of y. libsvm stops at a tolerance of 1e-3 and keeps kernels in 32 bits; "run to the
end" is a tolerance of 1e-6 (linear) or 1e-7, for logistic regression 1e-10. For linear_svm in regression
it is the optimum itself, from the linear system that the rows on the border of the tube make up, where
libsvm tells those rightly.
XGBoost on its own is given standardised columns, ours ranks.""",
        (
            ("", "exactness:fits"),
            ("Scores of pairs of 120 to 400 rows, both ways, size matched:", "exactness:scores"),
        ),
    ),
    Section(
        "parallel",
        "Threads and processes",
        """\
Wall seconds of a matrix, medians of rounds by turns. Processes are the workers of a local Dask cluster
(before December 2026: joblib's), already warm / started for the call. Threads are what `n_jobs` uses.""",
        (("", "parallel:parallel"),),
    ),
    Section(
        "sampling",
        "Flat in n",
        "Large datasets are scored from samples that grow until the standard error is small enough.",
        (
            ("In memory, p = 50:", "sampling:in_memory"),
            ("Pairs of Parquet files, p = 50, sorted by label, a process each:", "sampling:files"),
        ),
    ),
    Section(
        "wide",
        "Many datasets",
        """\
The whole matrix, a process each. `paper`: the paper's four models, the default until November 2026. The
rows of 2026-11-17 were measured one by one, while other work ran on the machine: wall times are too long.""",
        (("", "wide:wide"),),
    ),
    Section(
        "screen",
        "Screening",
        """\
`rank(target, sources, screen=True)` against the full ranking, by turns in one process: 50 sources of 300
rows and 10 columns, a target of 200 rows. Linear: rules turned by 0 to 180 degrees. Quadratic: rules that
linear models do not see, turned by 0 to 90. Shifted features: one curved rule, features 0 to 3 standard
deviations away. Many equal: a quarter has the target's rule. None helps: rules turned by 60 to 120 degrees.
How far from the first five a source may be was chosen on other draws. "Shifted" and "many equal" (20 of 50
before) were made easier after a look at other draws of them, which saved less. Asked for: a ratio of 2.5
and 98% of the full ranking's first five kept.""",
        (("", "screen:screen"),),
    ),
    Section(
        "choosing",
        "Choose",
        """\
CPU seconds with one thread, p = 10. The target and each source with more than 5,000 rows are sampled; reading
is not counted.""",
        (("", "choosing:choosing"),),
    ),
    Section(
        "explaining",
        "Explain",
        """\
CPU seconds with one thread of an explanation, and of the score beside it: a target and a source of 1,000 rows
and 20 columns, two classes, by turns. For trees the rule bends. Another effect: that of one column has the
other sign in the source. Other units: one column of the source is times 1.8 plus 32.""",
        (("", "explaining:explaining"),),
    ),
    Section(
        "kill",
        "Crashes",
        "A matrix of six datasets; processes are killed in the middle of the run.",
        (("", "kill:kill"),),
    ),
    Section(
        "networks",
        "Images and texts",
        """\
Whole comparisons of two halves; images are read from disk within the time. Asked for, in CPU time:
embeddings of 2,000 images at 128 pixels within 2 minutes, joint training of a small ResNet on digits
within 3. The wall clock depends on who else is at work (see the load).""",
        (("", "networks:networks"),),
        is_usual=False,  # needs torch and the extras of images and texts
    ),
    Section(
        "rivals",
        "Rivals, for scale",
        """\
CPU seconds of one pair, p = 10. The optimal transport dataset distance (OTDD) is exact: by POT as a
user would write it with Gaussian label distances, and by `datakin.distances.OTDD`, which refuses
more than 1e8 pairs of rows. CLS is `datakin.score` with its defaults, which samples above 10,000
rows. Below some thousand rows CLS is the slower one.""",
        (("", "rivals:rivals"),),
    ),
)
