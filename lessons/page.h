// Page: a lesson's text.en.md as blocks, in reading order, for whoever draws or prints it.
//
// Markdown (md4c: headings, paragraphs, lists, tables, code, links, emphasis) plus directives, each alone on its line:
//     ::controls                   the lesson's controls
//     ::arguments                  a playground's kernel and what it is given
//     ::result                     its large numbers
//     ::view thread_map            a view, by name
//     ::guess untouched "How many elements stay untouched?"    a prediction of a number; after it may stand what was said by it:
//                                  … "the untouched elements to be"
//     ::guess lost_share "How much is lost?" choose "nothing" ..0, "less than half" 0..50, "more" 50..      … among ranges of it
//     ::mark third_level "Which threads still work on the third level?"    a prediction made by marking threads of a block
//     ::exercise square            a kernel to write, or another exercise, which is checked (exercise.h, answers.h)
//     ::questions                  of a quiz alone: its questions, from task.toml (page_text() puts them here)
//     ::stage look                 what follows belongs to predict, run, look, change or make
// A picture stands alone in its paragraph, ![what it shows](warps.png): a PNG beside the page, drawn for two pixels a CSS pixel.
// A link leads to a page of the web, to a lesson or to a control: [Numba](https://…), [histograms](lesson:07),
// [threads](control:threads).
// In the text, {threads} is replaced by the control's value and <kbd>-like code spans stay code.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/result.h"
#include "lessons/lesson.h"

namespace warpbook::lessons {

/// What a lesson is gone through in, in order.
inline constexpr std::array<std::string_view, 5> stage_names{"predict", "run", "look", "change", "make"};

struct Span {
  std::string text;
  bool strong = false, emphasis = false, code = false;
  std::string link;
  std::string term;  // of the glossary, explained here (mark_terms)
};

/// A range of a number, by words; without an end it goes on for ever.
struct Choice {
  std::string label;
  double least = 0, most = 0;
  [[nodiscard]] bool holds(double value) const { return value >= least && value <= most; }
};

struct Block {
  enum class Kind {
    paragraph,
    heading,
    list_item,
    code,
    image,
    table_row,
    quote,
    rule,
    controls,
    arguments,
    result,
    view,
    guess,
    mark,
    exercise,
    stage,
    presets
  };
  Kind kind = Kind::paragraph;
  int level = 0;                         // heading 1–6; list_item: depth from 1
  int ordinal = 0;                       // list_item: its number, 0 for a bullet
  std::vector<Span> spans;               // text blocks
  std::vector<std::vector<Span>> cells;  // table_row
  bool header = false;                   // table_row
  std::string name;                      // directives: view's, number's … or stage's name; code: its language; image: its file
  std::string text;                      // code: the code; guess, mark: the question; image: what it shows
  std::string said;                      // guess: "that `c[0]` would hold", with "You predicted" before it; may be empty
  std::vector<Choice> choices;           // guess: what can be chosen; empty: any number
  [[nodiscard]] bool asks() const { return kind == Kind::guess || kind == Kind::mark; }
};

struct Page {
  std::vector<Block> blocks;
};

/// Fails with the line of an unknown directive, of a view, number or exercise the lesson does not have, of a link that leads
/// nowhere, or of a picture that is not there.
[[nodiscard]] Result<Page> parse_page(std::string_view markdown, const Lesson& lesson);

/// Replaces {threads} by the value now in force.
[[nodiscard]] std::string fill_in(std::string_view text, const Lesson& lesson, const Values& values);

}  // namespace warpbook::lessons
