// Page: a lesson's text.en.md as a list of blocks in reading order.
//
// Markdown (md4c: headings, paragraphs, lists, tables, code, links, emphasis) and directives, each on a line of its own:
//     ::controls                   the lesson's controls
//     ::arguments                  a playground's kernel and its arguments
//     ::program                    a whole program: what runs, and its launches (programs.h)
//     ::result                     the lesson's large numbers
//     ::view thread_map            a view, by name
//     ::guess untouched "How many elements stay untouched?"    a prediction of a number; optionally followed by the end of
//                                  the sentence "You predicted …": "the untouched elements to be"
//     ::guess lost_share "How much is lost?" choose "nothing" ..0, "less than half" 0..50, "more" 50..      a choice of ranges
//     ::mark third_level "Which threads still work on the third level?"    a prediction by marking threads of a block
//     ::exercise square            an exercise (exercise.h, answers.h)
//     ::questions                  the questions of a quiz, from task.toml (page_text() inserts them)
//     ::stage look                 the following blocks belong to this stage: predict, run, look, change or make
// A picture is alone in its paragraph: ![what it shows](warps.png), a PNG file beside the page with two pixels for a CSS pixel.
// A link leads to a web page, a lesson or a control: [Numba](https://…), [histograms](lesson:07), [threads](control:threads).
// In text, {threads} is replaced by the control's value.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/result.h"
#include "lessons/lesson.h"

namespace warpbook::lessons {

/// The stages of a lesson, in order.
inline constexpr std::array<std::string_view, 5> stage_names{"predict", "run", "look", "change", "make"};

struct Span {
  std::string text;
  bool strong = false, emphasis = false, code = false;
  std::string link;
  std::string term;  // a term of the glossary that is explained here (mark_terms)
};

/// A range of a number, with a label. Without an end it is unbounded.
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
    program,
    result,
    view,
    guess,
    mark,
    exercise,
    stage,
    presets
  };
  Kind kind = Kind::paragraph;
  int level = 0;                         // heading: 1–6; list_item: depth from 1
  int ordinal = 0;                       // list_item: its number; 0: a bullet
  std::vector<Span> spans;               // text blocks
  std::vector<std::vector<Span>> cells;  // table_row
  bool header = false;                   // table_row
  std::string name;                      // directives: name of the view, number, stage …; code: the language; image: the file
  std::string text;                      // code: the code; guess, mark: the question; image: its description
  std::string said;                      // guess: the end of "You predicted …": "that `c[0]` would hold"; may be empty
  std::vector<Choice> choices;           // guess: the choices; empty: any number
  [[nodiscard]] bool asks() const { return kind == Kind::guess || kind == Kind::mark; }
};

struct Page {
  std::vector<Block> blocks;
};

/// Fails, with the line, for an unknown directive, for a view, number or exercise that the lesson does not have, for a broken link,
/// or for a missing picture.
[[nodiscard]] Result<Page> parse_page(std::string_view markdown, const Lesson& lesson);

/// Replaces {threads} by the current value.
[[nodiscard]] std::string fill_in(std::string_view text, const Lesson& lesson, const Values& values);

}  // namespace warpbook::lessons
