"""The hinge of the house: the cross-error table, its records and its files.

Everything before this room is expensive and done once per dataset; everything after it is a pure view
of what is kept here. The public `datakin.CrossErrors` is `ErrorTable` with the way in (measure) and the
looks out (score, rank, matrix).
"""
