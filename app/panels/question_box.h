// Question box: what all questions of a page stand in: a pencil, the words, a line of small words below, and room for more.
//
//     const QuestionBox box({.words = words, .room = width - px(250), .least = tall_in_any_state, .below = chips}, at, width);
//     box.draw();
//     box.note("Predicted for Threads per block 128.", theme().text.third);
#pragma once

#include <imgui.h>

#include <string_view>
#include <vector>

#include "app/ui/text_flow.h"
#include "lessons/page.h"

namespace warpbook::app {

/// How high the words are in `room`, screen pixels.
[[nodiscard]] float question_height(const std::vector<lessons::Span>& words, float room);

class QuestionBox {
 public:
  /// Screen pixels. room: of the words. least: how high they are at least. below: height of what stands under the small words.
  struct Look {
    std::vector<lessons::Span> words;
    float room = 0, least = 0, below = 0;
    bool urged = false;  // with a ring in the hand's colour
  };
  QuestionBox(Look look, ImVec2 at, float width);

  void draw() const;
  /// The small words, cut where they end at `right` (0: at the box's end), whole in a tooltip. Returns where they end.
  float note(std::string_view name, std::string_view words, ImU32 colour, float right = 0) const;

  [[nodiscard]] float height() const;
  [[nodiscard]] float middle() const { return at_.y + head_ / 2; }       // of the words
  [[nodiscard]] float note_y() const { return at_.y + head_ - px(10); }  // top of the small words
  [[nodiscard]] float below_y() const { return note_y() + px(26); }      // top of what stands under them
  [[nodiscard]] float words_x() const { return at_.x + px(52); }
  [[nodiscard]] float right() const { return at_.x + width_ - px(16); }
  [[nodiscard]] bool one_line() const { return tall_ <= style_.line; }
  /// Where the words end: on one line after the last of them.
  [[nodiscard]] float words_end() const;

 private:
  Look look_;
  ImVec2 at_;
  float width_, tall_ = 0, head_ = 0;
  TextFlowStyle style_;
};

}  // namespace warpbook::app
