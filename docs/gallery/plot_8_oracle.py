"""
The score and the truth
=======================

In the paper's LDA setting the true score is known in closed form (theorem 2). Here it is drawn against
the angle between the two tasks, with estimates from 200 + 200 rows and their 95% intervals.
"""

import matplotlib.pyplot as plt
import numpy as np

import datakin
from datakin.synthetic import LDA

cosines = np.linspace(-1, 1, 41)
figure, ax = plt.subplots(figsize=(6.4, 4.2))
ax.plot(cosines, [LDA(c).oracle() for c in cosines], color="#555555", label="truth")
for cosine in np.linspace(-1, 1, 9):
    pair = LDA(float(cosine)).sample(200, 200, random_state=3)
    found = datakin.score(pair.target, pair.source, models=["logistic"])
    ax.plot([cosine, cosine], found.interval, color="#0072b2", linewidth=1)
    ax.plot(cosine, found.score, "o", color="#0072b2")
ax.plot([], [], "o-", color="#0072b2", label="estimate, 95% interval")
ax.set_xlabel("cosine between the two tasks")
ax.set_ylabel("Cross-Learning Score")
ax.legend(frameon=False)
