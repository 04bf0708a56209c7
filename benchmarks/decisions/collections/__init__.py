"""The collections: one small loader each, a function ``load(data)`` that returns named Datasets.

A loader may also say TARGETS (which domains may be targets), BALANCE (draw as many rows of every
class, as one does where deaths are rare) and ABOUT (one line for the results page).
"""

# Held out: chosen before any result was seen, and run only once nothing is changed any more.
HELD_OUT = ("beijing_air", "school")
OPEN = (
    "synthetic",
    "gusto",
    "eicu_demo",
    "uci_heart",
    "digits",
    "mushrooms",
    "wine_quality",
    "student",
    "california_housing",
)

# Of the study of choices: every option of choose was chosen on the development half.
DEVELOPMENT = ("synthetic", "gusto", "uci_heart", "wine_quality", "student")
FINAL = ("eicu_demo", "digits", "mushrooms", "california_housing", "beijing_air", "school")
# The factors of intervals and the prior of calls come from the development half and these two, which
# have numbers as labels; nothing else is reported of them.
CALIBRATION = ("synthetic_numbers", "diabetes")
