#include "lessons/markdown.h"

#include <md4c.h>

#include <array>
#include <optional>
#include <string>
#include <utility>

namespace warpbook::lessons {
namespace {

/// Collects spans while md4c parses a piece of Markdown.
class MarkdownReader {
 public:
  explicit MarkdownReader(std::vector<Block>& blocks) : blocks_(blocks) {}

  [[nodiscard]] bool read(std::string_view markdown) {
    MD_PARSER parser{};
    parser.flags = MD_FLAG_TABLES | MD_FLAG_NOHTML;
    parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* self) {
      return static_cast<MarkdownReader*>(self)->enter_block(type, detail);
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void*, void* self) { return static_cast<MarkdownReader*>(self)->leave_block(type); };
    parser.enter_span = [](MD_SPANTYPE type, void* detail, void* self) {
      return static_cast<MarkdownReader*>(self)->enter_span(type, detail);
    };
    parser.leave_span = [](MD_SPANTYPE type, void*, void* self) { return static_cast<MarkdownReader*>(self)->leave_span(type); };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* self) {
      return static_cast<MarkdownReader*>(self)->text(type, std::string_view(text, size));
    };
    return md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, this) == 0;
  }

 private:
  struct List {
    bool ordered = false;
    int next = 1;
  };

  int enter_block(MD_BLOCKTYPE type, void* detail) {
    switch (type) {
      case MD_BLOCK_QUOTE:
        ++quotes_;
        break;
      case MD_BLOCK_UL:
        flush();
        lists_.push_back({});
        break;
      case MD_BLOCK_OL:
        flush();
        lists_.push_back({.ordered = true, .next = static_cast<int>(static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start)});
        break;
      case MD_BLOCK_LI:
        open({.kind = Block::Kind::list_item,
              .level = static_cast<int>(lists_.size()),
              .ordinal = lists_.back().ordered ? lists_.back().next++ : 0});
        break;
      case MD_BLOCK_H:
        open({.kind = Block::Kind::heading, .level = static_cast<int>(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level)});
        break;
      case MD_BLOCK_P:
        // The first paragraph of a list item is the item's own text.
        if (!open_ || open_->kind != Block::Kind::list_item || !open_->spans.empty()) {
          open({.kind = quotes_ > 0 ? Block::Kind::quote : Block::Kind::paragraph, .level = static_cast<int>(lists_.size())});
        }
        break;
      case MD_BLOCK_CODE: {
        const auto& lang = static_cast<MD_BLOCK_CODE_DETAIL*>(detail)->lang;
        open({.kind = Block::Kind::code, .name = lang.text == nullptr ? std::string() : std::string(lang.text, lang.size)});
        break;
      }
      case MD_BLOCK_HR:
        open({.kind = Block::Kind::rule});
        break;
      case MD_BLOCK_TR:
        open({.kind = Block::Kind::table_row, .header = in_header_});
        break;
      case MD_BLOCK_THEAD:
        in_header_ = true;
        break;
      case MD_BLOCK_TH:
      case MD_BLOCK_TD:
        if (open_) open_->cells.emplace_back();
        break;
      default:
        break;
    }
    return 0;
  }

  int leave_block(MD_BLOCKTYPE type) {
    switch (type) {
      case MD_BLOCK_QUOTE:
        --quotes_;
        break;
      case MD_BLOCK_UL:
      case MD_BLOCK_OL:
        lists_.pop_back();
        break;
      case MD_BLOCK_THEAD:
        in_header_ = false;
        break;
      case MD_BLOCK_P:
      case MD_BLOCK_LI:
      case MD_BLOCK_H:
      case MD_BLOCK_CODE:
      case MD_BLOCK_HR:
      case MD_BLOCK_TR:
        flush();
        break;
      default:
        break;
    }
    return 0;
  }

  int enter_span(MD_SPANTYPE type, void* detail) {
    switch (type) {
      case MD_SPAN_STRONG:
        ++style_.strong;
        break;
      case MD_SPAN_EM:
        ++style_.emphasis;
        break;
      case MD_SPAN_CODE:
        ++style_.code;
        break;
      case MD_SPAN_A: {
        const auto& href = static_cast<MD_SPAN_A_DETAIL*>(detail)->href;
        style_.link = std::string(href.text, href.size);
        break;
      }
      case MD_SPAN_IMG: {
        const auto& source = static_cast<MD_SPAN_IMG_DETAIL*>(detail)->src;
        beside_image_ |= !open_ || !open_->spans.empty();
        images_.emplace_back(source.text, source.size);
        in_image_ = true;
        break;
      }
      default:
        break;
    }
    return 0;
  }

  int leave_span(MD_SPANTYPE type) {
    switch (type) {
      case MD_SPAN_STRONG:
        --style_.strong;
        break;
      case MD_SPAN_EM:
        --style_.emphasis;
        break;
      case MD_SPAN_CODE:
        --style_.code;
        break;
      case MD_SPAN_A:
        style_.link.clear();
        break;
      case MD_SPAN_IMG:
        in_image_ = false;
        break;
      default:
        break;
    }
    return 0;
  }

  int text(MD_TEXTTYPE type, std::string_view text) {
    if (!open_) return 0;
    if (open_->kind == Block::Kind::code) {
      open_->text += text;
      return 0;
    }
    if (type == MD_TEXT_SOFTBR) text = " ";
    if (type == MD_TEXT_BR) text = "\n";
    if (type == MD_TEXT_ENTITY) text = decoded(text);
    beside_image_ |= !images_.empty() && !in_image_;
    std::vector<Span>& spans = open_->kind == Block::Kind::table_row && !open_->cells.empty() ? open_->cells.back() : open_->spans;
    const Span styled{.text = std::string(text),
                      .strong = style_.strong > 0,
                      .emphasis = style_.emphasis > 0,
                      .code = style_.code > 0,
                      .link = style_.link};
    // md4c passes text in pieces; adjacent pieces of the same style are merged to one span.
    if (!spans.empty() && spans.back().strong == styled.strong && spans.back().emphasis == styled.emphasis &&
        spans.back().code == styled.code && spans.back().link == styled.link) {
      spans.back().text += styled.text;
    } else {
      spans.push_back(styled);
    }
    return 0;
  }

  /// Decodes the entities that Markdown requires; others stay as written.
  static std::string_view decoded(std::string_view entity) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 5> known{
        {{"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}, {"&quot;", "\""}, {"&nbsp;", "\u00A0"}}};
    for (const auto& [name, character] : known) {
      if (entity == name) return character;
    }
    return entity;
  }

  void open(Block block) {
    flush();
    open_ = std::move(block);
  }
  void flush() {
    if (open_ && !images_.empty()) {
      open_->kind = Block::Kind::image;
      for (const Span& span : std::exchange(open_->spans, {})) open_->text += span.text;
      if (images_.size() == 1 && !beside_image_) open_->name = images_.front();  // else it is not alone in its paragraph
    }
    images_.clear();
    beside_image_ = false;
    if (open_) blocks_.push_back(std::move(*open_));
    open_.reset();
  }

  std::vector<Block>& blocks_;
  std::optional<Block> open_;
  std::vector<List> lists_;
  std::vector<std::string> images_;  // of the open block
  bool in_image_ = false, beside_image_ = false;
  int quotes_ = 0;
  bool in_header_ = false;
  struct {
    int strong = 0, emphasis = 0, code = 0;
    std::string link;
  } style_;
};

}  // namespace

bool read_markdown(std::string_view markdown, std::vector<Block>& blocks) { return MarkdownReader(blocks).read(markdown); }

}  // namespace warpbook::lessons
