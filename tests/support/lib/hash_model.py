"""The hash table of measurements/patterns/hash_table.c once more, by one PE: how many taken places insertions meet
does not depend on their order."""

MASK = (1 << 64) - 1


def random_next(state):
    """SplitMix64: the number drawn in this state, and the next state."""
    state = (state + 0x9E3779B97F4A7C15) & MASK
    mixed = state
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & MASK
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & MASK
    return mixed ^ mixed >> 31, state


def met(pes, inserts):
    """Taken places that all insertions meet."""
    places = pes * (2 * inserts + 1)
    taken, found = set(), 0
    for number in range(pes * inserts):
        place = random_next(number)[0] % places
        while place in taken:
            place = (place + 1) % places
            found += 1
        taken.add(place)
    return found
