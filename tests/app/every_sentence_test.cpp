// Everything that the window draws, in a language that does not exist (pseudo_language.h): what is drawn without brackets cannot be
// translated, and what is wider than its room would be cut in a language whose words are longer.
//
// Patterns in both lists are regular expressions, and are looked for in the English text.
//
// untranslated.txt names what may be drawn in English still, by room and with the reason. It shrinks as rooms are converted: an
// entry that nothing is drawn for fails the test as well as a text that no entry covers. no_room.txt names what is known to be cut.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/panels/tour.h"
#include "app/ui/draw.h"
#include "lessons/catalog.h"
#include "lessons/exercise.h"
#include "lessons/programs.h"
#include "tests/app/hand_made_record.h"
#include "tests/app/headless.h"
#include "tests/app/pseudo_language.h"

namespace warpbook::test {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view opening = "⟦", closing = "⟧";

/// What stands outside of all brackets.
std::string outside(std::string_view words) {
  std::string rest;
  int depth = 0;
  while (!words.empty()) {
    if (words.starts_with(opening)) {
      ++depth;
      words.remove_prefix(opening.size());
    } else if (words.starts_with(closing)) {
      --depth;
      rest += ' ';
      words.remove_prefix(closing.size());
    } else {
      if (depth <= 0) rest += words.front();
      words.remove_prefix(1);
    }
  }
  return rest;
}

/// As it was before `script/messages --pseudo`: without accents, brackets and what made it longer.
std::string in_source(std::string words) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 19> back{{{" éóé", ""},
                                                                                {opening, ""},
                                                                                {closing, ""},
                                                                                {"á", "a"},
                                                                                {"ç", "c"},
                                                                                {"é", "e"},
                                                                                {"í", "i"},
                                                                                {"ñ", "n"},
                                                                                {"ó", "o"},
                                                                                {"ú", "u"},
                                                                                {"ý", "y"},
                                                                                {"Á", "A"},
                                                                                {"Ç", "C"},
                                                                                {"É", "E"},
                                                                                {"Í", "I"},
                                                                                {"Ñ", "N"},
                                                                                {"Ó", "O"},
                                                                                {"Ú", "U"},
                                                                                {"Ý", "Y"}}};
  for (const auto& [there, here] : back)
    for (std::size_t at = 0; (at = words.find(there, at)) != std::string::npos; at += here.size())
      words.replace(at, there.size(), here);
  return words;
}

bool has_word(std::string_view words) {
  int letters = 0;
  for (const char c : words) {
    letters = std::isalpha(static_cast<unsigned char>(c)) ? letters + 1 : 0;
    if (letters == 3) return true;
  }
  return false;
}

bool is_code(app::Face face) {
  using app::Face;
  constexpr std::array faces{Face::code, Face::prose_code, Face::label_code, Face::code_large, Face::digits, Face::digits_strong};
  return std::find(faces.begin(), faces.end(), face) != faces.end();
}
/// The page's prose is the lesson's.
bool is_prose(app::Face face) { return face == app::Face::prose || face == app::Face::prose_strong; }

/// Text of the lessons and the glossary, which is in English: literals of their sources, with a gap where a value stands.
class LessonText {
 public:
  LessonText() {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(WARPBOOK_ROOT) / "lessons")) {
      const std::string extension = entry.path().extension();
      if (extension != ".cpp" && extension != ".h" && extension != ".toml" && extension != ".md") continue;
      std::ifstream in(entry.path());
      const std::string text(std::istreambuf_iterator<char>(in), {});
      if (extension == ".md")
        lines(text);
      else
        literals(text);
    }
  }
  /// It is one of their literals; or all its stretches without digits and signs, of more than one word, are somewhere in their
  /// texts.
  [[nodiscard]] bool has(std::string_view words) const {
    if (exact_.contains(std::string(words))) return true;
    if (std::any_of(with_gaps_.begin(), with_gaps_.end(), [&](const auto& pieces) { return fits(words, pieces); })) return true;
    if (words.find(' ') == std::string_view::npos) return false;
    std::string stretch;
    for (const char c : std::string(words) + '.') {
      if (std::isalpha(static_cast<unsigned char>(c)) || c == ' ' || c == '\'') {
        stretch += c;
        continue;
      }
      const std::string whole = trim(std::exchange(stretch, {}));
      if (has_word(whole) && all_.find(whole) == std::string::npos) return false;
    }
    return true;
  }

 private:
  static std::string trim(const std::string& words) {
    const std::size_t from = std::min(words.find_first_not_of(' '), words.size());
    return words.substr(from, words.find_last_not_of(' ') + 1 - from);
  }
  void add(const std::string& literal) {
    all_ += ' ';
    for (const char c : literal)
      if (c != '`' && c != '*') all_ += c == '\n' ? ' ' : c;
    std::vector<std::string> pieces(1);
    int depth = 0;
    for (const char c : literal) {
      if (c == '{' && depth++ == 0) pieces.emplace_back();
      if (depth == 0) pieces.back() += c;
      if (c == '}') depth = std::max(depth - 1, 0);
    }
    if (pieces.size() == 1)
      exact_.insert(literal);
    else if (std::any_of(pieces.begin(), pieces.end(), [](const std::string& piece) { return has_word(piece); }))
      with_gaps_.push_back(std::move(pieces));
  }
  /// What stands between quotation marks; neighbours are one literal.
  void literals(const std::string& text) {
    std::string joined;
    for (std::size_t at = text.find('"'); at != std::string::npos;) {
      std::size_t end = at + 1;
      while (end < text.size() && text[end] != '"' && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
      joined += text.substr(at + 1, std::min(end, text.size()) - at - 1);
      const std::size_t next = text.find('"', std::min(end + 1, text.size()));
      const bool apart = next == std::string::npos || text.find_first_not_of(" \n", end + 1) < next;
      if (apart) add(std::exchange(joined, {}));
      at = next;
    }
  }
  void lines(const std::string& text) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      std::string line = text.substr(at, end - at);
      std::erase(line, '*');
      std::erase(line, '`');
      all_ += ' ' + line;
      // Headings, choices of a question, terms of the glossary and their spellings.
      for (std::size_t from = 0; from < line.size();) {
        const std::size_t cut = std::min(line.find_first_of("|,=:#", from), line.size());
        exact_.insert(trim(line.substr(from, cut - from)));
        from = cut + 1;
      }
      at = end + 1;
    }
  }
  static bool fits(std::string_view words, const std::vector<std::string>& pieces) {
    if (!words.starts_with(pieces.front())) return false;
    for (const std::string& piece : pieces) {
      const auto at = words.find(piece);
      if (at == std::string_view::npos) return false;
      words.remove_prefix(at + piece.size());
    }
    return pieces.back().empty() || words.empty();
  }

  std::set<std::string> exact_;
  std::string all_;
  std::vector<std::vector<std::string>> with_gaps_;
};

/// "ROOM | PATTERN | WHY" a line; # begins a comment.
struct Exception {
  std::string room, pattern, why;
  std::regex is;
  int used = 0;
};

std::vector<Exception> exceptions(const char* name) {
  std::ifstream in(fs::path(WARPBOOK_ROOT) / "tests/app" / name);
  EXPECT_TRUE(in) << name;
  std::vector<Exception> all;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.front() == '#') continue;
    const auto first = line.find(" | "), last = line.rfind(" | ");
    EXPECT_NE(first, last) << name << ": a room, a pattern and a reason: " << line;
    if (first == last) continue;
    Exception one{
        .room = line.substr(0, first), .pattern = line.substr(first + 3, last - first - 3), .why = line.substr(last + 3), .is = {}};
    one.is = std::regex(one.pattern);
    all.push_back(std::move(one));
  }
  return all;
}

class EverySentence : public testing::Test {
 protected:
  EverySentence() {
    app::hear_drawn_words([this](const app::DrawnWords& drawn) { hear(drawn); });
    window_.session().rerun = false;
    EXPECT_TRUE(window_.settle());
  }
  ~EverySentence() override { app::hear_drawn_words({}); }

  void open(const lessons::Lesson& lesson) {
    window_.book().open(lesson);
    window_.settle();
  }
  void run() {
    window_.click("run");
    window_.wait([&] { return window_.session().lesson().shown != nullptr; });
    if (window_.session().open->live) window_.book().pause();
    window_.settle();
  }
  void frames(int count = 4) {
    for (int i = 0; i < count; ++i) window_.frame();
  }
  /// The hints of everything that can be pointed at.
  void point_at_all() {
    std::vector<std::string> names;
    for (const app::NamedRect& widget : app::named_widgets())
      if (widget.id != 0 && !widget.name.starts_with("term/") && !widget.name.starts_with("line/")) names.push_back(widget.name);
    for (const std::string& name : names) {
      if (!window_.point(name)) continue;
      frames(30);
    }
    window_.leave();
  }
  void look() {
    pages();
    overlays();
    states();
  }

  PseudoLanguage language_;
  Headless window_{1440, 2400};
  std::map<std::string, std::string> heard_, cut_;  // and where first
  std::string where_;

 private:
  void hear(const app::DrawnWords& drawn) {
    const std::string words(drawn.words);
    if (drawn.width > drawn.room + 1.5F && words.starts_with(opening))
      cut_.emplace(std::regex_replace(words, std::regex("[0-9.,]*[0-9]"), "#"), where_);
    if (is_code(drawn.face) || is_prose(drawn.face)) return;
    if (has_word(outside(words))) heard_.emplace(words, where_);
  }
  void pages() {
    for (const lessons::Lesson* lesson : lessons::all_lessons()) {
      where_ = lesson->id;
      open(*lesson);
      frames();
      run();
      frames();
      if (lesson->number == "01" || lesson->number == "05") point_at_all();
    }
    for (const char* const name : {"square", "launch_it"}) {
      where_ = std::string("exercise ") + name;
      open((*lessons::find_exercise(name))->as_lesson);
      run();
      window_.click("tab/solution");
      frames();
    }
  }
  void overlays() {
    open(*lessons::find_lesson("01"));
    for (const auto& [name, overlay] :
         {std::pair{"settings", app::Overlay::settings}, std::pair{"shortcuts", app::Overlay::shortcuts},
          std::pair{"glossary", app::Overlay::glossary}, std::pair{"progress", app::Overlay::progress},
          std::pair{"browse", app::Overlay::browse}, std::pair{"closing", app::Overlay::closing}}) {
      where_ = name;
      app::open_overlay(window_.session(), overlay);
      frames();
      window_.session().overlay = app::Overlay::none;
      frames(2);
    }
    app::start_tour(window_.session(), window_.book());
    for (std::size_t at = 0; at < 5; ++at) {
      where_ = "tour";
      window_.session().tour = at;
      frames();
    }
    window_.session().tour.reset();
  }
  void states() {
    const auto at = [&](const char* name, const char* lesson, const std::function<void()>& make) {
      where_ = name;
      open(*lessons::find_lesson(lesson));
      make();
      window_.settle();
      frames();
    };
    at("steps", "01", [&] { window_.click("tab/steps"); });
    window_.session().lesson().stepper.open = false;
    at("host", "01", [&] { window_.click("tab/host"); });
    at("sweep", "01", [&] {
      for (const char* name : {"sweep", "sweep/over/guard", "sweep/start"}) window_.click(name);
    });
    window_.session().lesson().sweep.open = false;
    at("presented", "01", [&] { window_.command(app::Command::present); });
    window_.session().presenting = false;
    at("export", "01", [&] {
      window_.click("export");
      frames();
      window_.click("export/csv");
    });
    at("reset", "01", [&] { window_.click("lesson/reset"); });
    at("compare", "01", [&] {
      run();
      window_.click("kept/keep");
      window_.session().lesson().values.set("blocks", 31);
      run();
    });
    at("does not compile", "05", [&] {
      window_.click("editor", 0.5F, 0.1F);
      window_.type("wrong here ");
    });
    at("playground", "playground", [&] { window_.click("kernel/saxpy"); });
    const fs::path record = fs::temp_directory_path() / fmt::format("every_sentence_{}.record", ::getpid());
    write_hand_made_record(record);
    at("program", "playground", [&] { window_.book().open_file(record.string()); });
    fs::remove(record);
    at("device list", "01", [&] {
      window_.click("device/virtual");
      frames();
    });
    window_.let_go();
  }
};

TEST_F(EverySentence, CanBeTranslated) {
  look();
  const LessonText lessons;
  auto allowed = exceptions("untranslated.txt");
  std::string unknown;
  for (const auto& [words, where] : heard_) {
    if (lessons.has(words)) continue;
    bool known = false;
    for (Exception& each : allowed) {
      if (!std::regex_search(in_source(words), each.is)) continue;
      known = true;
      ++each.used;
    }
    if (!known) unknown += fmt::format("  {}: {}\n", where, words);
  }
  EXPECT_EQ(unknown, "") << "is drawn without say(). Convert it, or name it in tests/app/untranslated.txt with the reason.";
  for (const Exception& each : allowed)
    EXPECT_GT(each.used, 0) << "nothing is drawn that needs this entry of untranslated.txt: " << each.pattern;

  auto narrow = exceptions("no_room.txt");
  std::string cut;
  for (const auto& [words, where] : cut_) {
    const bool known = std::any_of(narrow.begin(), narrow.end(),
                                   [&](const Exception& each) { return std::regex_search(in_source(words), each.is); });
    if (!known) cut += fmt::format("  {}: {}\n", where, words);
  }
  EXPECT_EQ(cut, "") << "has no room where words are a third longer.";
}

TEST_F(EverySentence, IsInTheLanguageThatTheSettingsSay) {
  window_.session().languages = language_.folder();
  where_ = "settings";
  app::open_overlay(window_.session(), app::Overlay::settings);
  frames();
  ASSERT_TRUE(window_.click("settings/language"));
  ASSERT_TRUE(window_.click("settings/language/en"));
  EXPECT_EQ(language_in_force(), "en");
  EXPECT_EQ(window_.session().language, "en");
  heard_.clear();
  frames();
  EXPECT_TRUE(heard_.contains("Settings"));
  ASSERT_TRUE(window_.click("settings/language"));
  ASSERT_TRUE(window_.click("settings/language/xx"));
  heard_.clear();
  frames();
  EXPECT_FALSE(heard_.contains("Settings"));
  EXPECT_EQ(window_.session().language, "xx");
}

}  // namespace
}  // namespace warpbook::test
