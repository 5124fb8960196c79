#!/usr/bin/env python3
"""Reads a report in every format with a strict parser: report_check.py HTML JSON CSV MARKDOWN

Prints what is wrong, a line each, and "N figures compared". Exit code 1 where anything is wrong or nothing was compared.
"""
import csv
import json
import math
import re
import sys
import xml.etree.ElementTree as xml

wrong = []


def same(a, b):
    return a == b or (math.isnan(a) and math.isnan(b))


def printable(text):
    """As XML can hold it: a document keeps control characters as escapes, a page cannot."""
    return re.sub("[\x00-\x08\x0b-\x1f\x7f]", "\N{REPLACEMENT CHARACTER}", text)


def page_figures(page):
    """(cell, key) -> list of {value, low, high, level, n} of every table of the page."""
    out = {}
    for table in page.iter("table"):
        keys = [head.get("data-key") for head in table.find("thead").iter("th")]
        for row in table.find("tbody").iter("tr"):
            for key, entry in zip(keys, row.findall("td"), strict=True):
                figure = {part: float(entry.get("data-" + part)) for part in ("value", "low", "high", "level", "n")
                          if entry.get("data-" + part) is not None}
                if row.get("data-cell") is not None and figure:
                    out.setdefault((row.get("data-cell"), key), []).append(figure)
    return out


def document_figures(document):
    """The same of `report --json`, in its order."""
    for group in document["workloads"]:
        for cell in group["cells"]:
            for key, value in cell.items():
                if isinstance(value, dict) and "value" in value:
                    figure = {"value": float(value["value"]), "n": float(value["n"])}
                    if "interval" in value:
                        figure |= {"low": float(value["interval"][0]), "high": float(value["interval"][1]),
                                   "level": float(value["level"])}
                    yield cell["cell"], key, [figure]
                elif key in ("bytes_sent_per_rank_and_step", "messages_per_rank_and_step", "first_loss", "last_loss"):
                    yield cell["cell"], key, [{"value": float(value)}]
            for key in ("time_s", "loss", "step"):
                if "loss_curve" in cell and cell.get("fabric", "").split(":")[0] != "null":
                    yield cell["cell"], key, [{"value": float(v)} for v in cell["loss_curve"][key]]
            for rank in cell.get("breakdown", {}).get("ranks", []):
                for key, value in rank.items():
                    if key.endswith("_s_per_step"):
                        yield cell["cell"], key, {"value": float(value)}


def compare(page, document):
    """Every figure of the document is in the page. One that is not a number stands there as "-" with a reason."""
    shown, compared = page_figures(page), 0
    for cell, key, figures in document_figures(document):
        found = shown.get((printable(cell), key), [])
        for figure in figures if isinstance(figures, list) else [figures]:
            if math.isnan(figure["value"]):
                continue
            compared += 1
            if not any(one.keys() == figure.keys() and all(same(one[k], figure[k]) for k in figure) for one in found):
                wrong.append(f"{cell}: {key}: the document has {figure}, the page {found[:3]}")
    known = {printable(cell["cell"]) for group in document["workloads"] for cell in group["cells"]}
    for cell in known - {cell for cell, key in shown}:
        wrong.append(f"{cell}: not in the page")
    return compared


def check_page(text):
    page = xml.fromstring(re.sub(r"^<!DOCTYPE html>", "", text))
    for element in page.iter():
        for name, value in element.attrib.items():
            if name in ("src", "srcset", "data", "action") or (name == "href" and not value.startswith("#")):
                wrong.append(f"<{element.tag} {name}={value}> refers to something outside")
        if element.tag in ("script", "link", "iframe", "img", "object", "embed"):
            wrong.append(f"<{element.tag}> in the page")
    style = "".join(element.text for element in page.iter("style"))
    if "url(" in style or "@import" in style:
        wrong.append("the style sheet refers to something outside")
    for hatch in re.findall(r'fill="url\(([^)]*)\)"', text):
        if not hatch.startswith("#"):
            wrong.append(f"url({hatch})")
    for figure in page.iter("figure"):
        if figure.find("svg") is None or figure.find("details/div/table") is None:
            wrong.append("a figure without its picture or its data")
    return page


def check_csv(text, document):
    rows = list(csv.DictReader(text.splitlines(keepends=True), strict=True))
    cells = [cell for group in document["workloads"] for cell in group["cells"]]
    if len(rows) != len(cells):
        wrong.append(f"{len(rows)} rows for {len(cells)} cells")
    for row, cell in zip(rows, cells):
        if None in row or None in row.values():
            wrong.append(f"{cell['cell']}: fields and header do not fit")
        if row["system"] != printable(cell["system"]) or row["strategy"] != cell["strategy"]:
            wrong.append(f"{cell['cell']}: names differ in CSV: {row['system']!r}")
        for key in ("step_s", "peak_memory_bytes", "efficiency_own_serial"):
            if (key in cell) != (row[key] != ""):
                wrong.append(f"{cell['cell']}: {key} is {row[key]!r} in CSV, {cell.get(key)} in the document")
            elif key in cell and not same(float(row[key]), float(cell[key]["value"])):
                wrong.append(f"{cell['cell']}: {key} differs in CSV")


def read(name):
    with open(name, encoding="utf-8", newline="") as file:
        return file.read()


def main():
    page, document = check_page(read(sys.argv[1])), json.loads(read(sys.argv[2]))
    compared = compare(page, document)
    check_csv(read(sys.argv[3]), document)
    if len(read(sys.argv[4]).encode()) > 60000:
        wrong.append("Markdown of more than 60 kB")
    print("\n".join(wrong[:20] + [f"{compared} figures compared"]))
    return 1 if wrong or compared == 0 else 0


sys.exit(main())
