"""The hard instance of the paper in one picture: who asks for how many labels.

Most examples of this stream lie where good classifiers disagree and yet teach nothing. Active Cover
asks there as rarely as it may; IWAL and Oracular CAL ask always. Takes some seconds and writes
``demo/hard_instance.svg``.
"""

from pathlib import Path

from askance.theory.experiments import hard
from askance.theory.figures import draw_hard


def main(out: Path = Path("demo/hard_instance.svg")) -> None:
    """Run two seeds on streams of 4,096 examples, print the queries and draw them."""
    result = hard(seeds=2, scale=0.02)
    for line in result.table:
        print(
            f"epsilon = {line.epsilon}  {line.algorithm:<20} "
            f"{line.labels:>8.0f} labels for {line.inside:.0f} examples inside its region"
        )
    draw_hard(result.state()["figure"], out)
    print(f"The picture is in {out}.")


if __name__ == "__main__":
    main()
