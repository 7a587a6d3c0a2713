"""Write examples/tickets.csv: invented support tickets, the same bytes every time.

Text, categories, numbers and a label that depends on all of them, and a little on chance.
"""

import csv
import io
import random
from pathlib import Path

ROWS = 2000
PLANS = {"free": -1.0, "team": 0.0, "company": 1.2}
CALM = "invoice,export,colour,logo,password,feature,question,docs,thanks,holiday,report,settings"
ALARM = "down,outage,lost,crash,locked,error,production,deadline,broken,refund"
FILLER = "please,the,our,page,since,today,with,account,and,we,a,is,file,help,when,team"


def tickets(rows: int = ROWS) -> str:
    """The file's text."""
    rng = random.Random(2015)
    calm, alarm, filler = (words.split(",") for words in (CALM, ALARM, FILLER))
    table = [("id", "message", "plan", "hours_open", "urgent")]
    for number in range(1, rows + 1):
        bad = min(rng.choice([0, 0, 1, 2, 3]), 3)
        words = rng.sample(alarm, bad) + rng.sample(calm, 3 - bad) + rng.sample(filler, 5)
        rng.shuffle(words)
        plan, hours = rng.choice(list(PLANS)), round(rng.expovariate(1 / 20), 1)
        score = 1.6 * bad + PLANS[plan] + hours / 25 - 3.2 + rng.gauss(0, 0.7)
        row = (f"T{number:04}", " ".join(words), plan, str(hours), "yes" if score > 0 else "no")
        table.append(row)
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(table)
    return text.getvalue()


if __name__ == "__main__":
    path = Path(__file__).parent.parent / "examples/tickets.csv"
    path.write_text(tickets())
    print(f"wrote {path}")
