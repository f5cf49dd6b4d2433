"""The course of an acceptance test: a tournament, then re-tests until nothing is open, whoever measures.

    case = accept(times, play, game, wanted)
    # play(times, tasks) adds to times what measuring them gave. wanted: the options of skampi accept: .passes and .rounds,
    # 0: by the game; .alpha, the probability that a sound machine is accused; .least: smaller differences are none
"""

from .judge import LOOKS, Case, judge, retest_rounds, screen
from .tournament import chance

ALL_ROUNDS = 255  # tournaments of at most this many rounds are played completely
SAMPLED = 32  # rounds that are drawn from a longer tournament


def rounds_of(game, wanted):
    if wanted.rounds:
        return min(wanted.rounds, game.rounds)
    return game.rounds if game.rounds <= ALL_ROUNDS else SAMPLED


def passes_for(game, wanted):
    """Few pairs need many passes, and rounds of few PEs are quick."""
    return wanted.passes or (20 if game.rounds <= 15 else 10 if game.rounds <= 63 else 5)


def tournament(game, wanted):
    """[(stage, pass, round, seed, group)]. All rounds have other pairs beside each pair in each pass; a sample is
    the same in all passes, in another order, so that links are measured several times."""
    count, tasks = rounds_of(game, wanted), []
    for turn in range(1, passes_for(game, wanted) + 1):
        if count == game.rounds:
            seed, rounds = turn, list(range(1, count + 1))
        else:
            seed, rounds = 1, game.sample(count, chance("tournament"))
        chance("order", turn).shuffle(rounds)
        tasks += [(0, turn, round_, seed, game.group) for round_ in rounds]
    return tasks


def accept(times, play, game, wanted):
    """The Case, decided as far as it can be."""
    play(times, tournament(game, wanted))
    times.centre()
    case = Case(times, wanted.alpha, wanted.least)
    screen(case)
    for batch, passes in enumerate(LOOKS, 1):
        if not case.open:
            break
        tasks = []
        for turn in range(1, passes + 1):
            seed, rounds = retest_rounds(case, game, batch, turn)
            tasks += [(batch, turn, round_, seed, game.group) for round_ in rounds]
        play(times, tasks)
        times.centre()
        judge(case, batch)
    return case


def evaluated(times, wanted):
    """The Case of results that are there already, with the re-tests that are in them."""
    times.centre()
    case = Case(times, wanted.alpha, wanted.least)
    screen(case)
    for batch in sorted({sample.stage for sample in times.samples} - {0}):
        judge(case, batch)
    return case
