"""All identities, checked on the output for one recording."""

from advice import check_advice, check_guidance, check_what_if
from clean_steps import check_clean_steps
from findings import Findings
from gpus import check_communication, check_gpus
from ledger import Ledger
from pages import Unreadable, read_screen
from tables import check_percent, check_sums, check_tables
from times import check_idle, check_length, check_shares, check_steps, check_verdict
from words import check_hints, check_layout, check_missing, check_names, check_per_step, check_trust
from work import check_kernels, check_ops, check_samples, check_tensor_cores

SCREENS = {100: "the one screen", 160: "the one screen at 160 columns"}


def check(answers):
    """The contradictions in the output."""
    found = Findings()
    try:
        screens = {place: read_screen(answers.screens[width]) for width, place in SCREENS.items()}
    except Unreadable as error:
        found.true("layout", "a page that can be read", "the one screen", False, str(error))
        return found
    ledger = Ledger(answers.sql)
    check_steps(answers, ledger, screens, found)
    step = check_length(answers, ledger, screens, found)
    check_clean_steps(answers, screens, found)
    check_shares(answers, ledger, screens, found)
    check_verdict(answers, ledger, screens, found)
    check_idle(answers, ledger, screens, found)
    check_gpus(answers, ledger, screens, found)
    check_communication(answers, ledger, screens, found)
    check_ops(answers, ledger, screens, found)
    check_samples(answers, ledger, found)
    check_kernels(answers, ledger, screens, found)
    check_tensor_cores(answers, ledger, screens, found)
    check_advice(answers, ledger, screens, step, found)
    check_what_if(answers, ledger, step, found)
    check_guidance(answers, ledger, found)
    check_tables(answers, found)
    check_percent(answers, found)
    check_sums(answers, found)
    check_names(answers, screens, found)
    check_trust(answers, screens, found)
    check_missing(answers, ledger, screens, found)
    check_per_step(answers, ledger, screens, step, found)
    check_layout(answers, screens, found)
    check_hints(answers, screens, found)
    return found
