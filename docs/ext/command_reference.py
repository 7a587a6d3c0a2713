"""The command reference, made from the commands themselves when the pages are built."""

from collections.abc import Iterator
from inspect import cleandoc
from typing import Any

import typer
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from askance.cli import app

__all__ = ["commands", "markdown", "setup", "shown_parameters"]


def commands(group: Any = None, path: str = "askance") -> Iterator[tuple[str, Any]]:
    """Every command with its full name, groups before their members."""
    group = typer.main.get_command(app) if group is None else group
    yield path, group
    for name, command in getattr(group, "commands", {}).items():
        if not command.hidden:
            yield from commands(command, f"{path} {name}")


def shown_parameters(command: Any) -> list[Any]:
    """Arguments and options, all but --help, which every command has."""
    return [p for p in command.params if p.name != "help" and not getattr(p, "hidden", False)]


def markdown() -> str:
    """The whole page below its title."""
    return "\n\n".join(part for name, command in commands() for part in _section(name, command))


def _section(name: str, command: Any) -> Iterator[str]:
    yield f"## {name}"
    yield cleandoc(command.help).replace("\f", "")
    rows = [_row(parameter) for parameter in shown_parameters(command)]
    if rows:
        yield "\n".join(["| | default | |", "|---|---|---|", *rows])
    if hasattr(command, "commands"):
        links = (f"[{name} {inner}](#{_anchor(f'{name} {inner}')})" for inner in command.commands)
        yield f"Commands: {', '.join(links)}."


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")


def _row(parameter: Any) -> str:
    names = ", ".join(f"`{name}`" for name in [*parameter.opts, *parameter.secondary_opts])
    if parameter.param_type_name == "argument":
        names = f"`{parameter.metavar or parameter.name.upper()}`"
    plain = parameter.default is None or parameter.default is False
    default = "" if plain else f"`{parameter.default}`"
    cells = (names, "required" if parameter.required else default, _help(parameter))
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _help(parameter: Any) -> str:
    text = " ".join(parameter.help.split())
    return f"{text} Or set `{parameter.envvar}`." if parameter.envvar else text


class CommandReference(SphinxDirective):
    """``{askance-commands}``: one section for each command."""

    def run(self) -> list[Any]:
        """The parsed page."""
        nodes: list[Any] = self.parse_text_to_nodes(markdown(), allow_section_headings=True)
        return nodes


def setup(sphinx: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    sphinx.add_directive("askance-commands", CommandReference)
    return {"parallel_read_safe": True}
