"""Runs the blocks of a document as a notebook runs its cells: one after the other, with the same names, each whatever the one before it
did. For script/documents: run_blocks.py BLOCKS.json RESULTS.json, a line of JSON a block.

A block's code counts its lines as the document does, so that whatever names a line names the document's.
"""

import ast
import contextlib
import io
import json
import sys


def run(block, names):
    """(type of the exception or "", its message)"""
    try:
        tree = ast.parse(block["code"])
        ast.increment_lineno(tree, block["line"] - 1)
        shown = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, block["file"], "exec"), names)
        if shown:
            value = eval(compile(ast.Expression(shown.value), block["file"], "eval"), names)
            if value is not None:
                print(repr(value))
        for code in block.get("then", []):  # the notes' own
            exec(code, names)
    except SystemExit:
        raise
    except BaseException as error:  # whatever it is, the next block comes
        lines = [line for line in str(error).strip().splitlines() if line.strip()] or [""]
        return type(error).__name__, next((line for line in lines if "Name" in line or "Error" in line), lines[0])
    return "", ""


def main():
    with open(sys.argv[1]) as file:
        blocks = json.load(file)
    names = {"__name__": "__main__"}
    for block in blocks:
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            kind, error = run(block, names)
        print(output.getvalue(), end="", flush=True)
        with open(sys.argv[2], "a") as file:
            file.write(json.dumps({"output": output.getvalue(), "type": kind, "error": error}) + "\n")


if __name__ == "__main__":
    main()
