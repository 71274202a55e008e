// Sentences in another language: the catalogues are msgfmt's own, made of the texts beside this file.
#include "gpu/message.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "gpu/language.h"
#include "gpu/translation.h"

namespace warpbook {
namespace {

namespace fs = std::filesystem;

/// A folder of catalogues; English again at the end.
class Messages : public testing::Test {
 protected:
  Messages() : folder_(fs::temp_directory_path() / fmt::format("warpbook_languages_{}", ::getpid())) {
    fs::create_directories(folder_);
    compile(fs::path(WARPBOOK_ROOT) / "tests/gpu/languages/three_forms.po", "xt");
  }
  ~Messages() override {
    EXPECT_TRUE(speak("en", folder_));
    fs::remove_all(folder_);
  }
  void compile(const fs::path& source, const std::string& code) const {
    const std::string command = fmt::format("msgfmt --output-file='{}' '{}'", (folder_ / (code + ".mo")).string(), source.string());
    ASSERT_EQ(std::system(command.c_str()), 0) << "these tests need gettext's msgfmt: script/bootstrap installs it";
  }
  void write(const std::string& code, const std::string& bytes) const { std::ofstream(folder_ / (code + ".mo")) << bytes; }
  [[nodiscard]] std::string bytes() const {
    std::ifstream in(folder_ / "xt.mo", std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void speak_it() const {
    const auto spoken = speak("xt", folder_);
    ASSERT_TRUE(spoken) << spoken.error().message;
  }

  fs::path folder_;
};

std::string waiting(std::uint64_t n) { return say_many(n, "{n} block waits.", "{n} blocks wait.", "n"_a = n); }
std::string threads_of(int block, unsigned threads) {
  return say("Block {block} has {threads} threads.", "block"_a = block, "threads"_a = threads);
}

TEST_F(Messages, EnglishIsTheSource) {
  EXPECT_EQ(say("A fixed sentence."), "A fixed sentence.");
  EXPECT_EQ(threads_of(3, 64), "Block 3 has 64 threads.");
  EXPECT_EQ(waiting(1), "1 block waits.");
  EXPECT_EQ(waiting(0), "0 blocks wait.");
  EXPECT_EQ(say_many(2, "a block", "blocks"), "blocks");
  EXPECT_EQ(say_many(1, "One block waits.", "{n} blocks wait.", "n"_a = 1), "One block waits.");
  EXPECT_EQ(say_in("not right", "Left"), "Left");
  EXPECT_EQ(say("{share:.1f} % of {{x}}", "share"_a = 12.34), "12.3 % of {x}");
  EXPECT_EQ(say("int main() { return 0; }"), "int main() { return 0; }") << "a fixed sentence is not formatted";
  EXPECT_EQ(language_in_force(), "en");
}

TEST_F(Messages, ATranslationPutsTheValuesWhereItWants) {
  speak_it();
  EXPECT_EQ(language_in_force(), "xt");
  EXPECT_EQ(say("A fixed sentence."), "Ŵorťe, šťill.");
  EXPECT_EQ(threads_of(3, 64), "64 threads: block 3.");
  EXPECT_EQ(say("Three of {all}.", "all"_a = 5), "It has no value.") << "it may leave one out";
}

TEST_F(Messages, PluralsAreTheLanguagesOwn) {
  speak_it();
  const std::vector<std::pair<std::uint64_t, std::string>> forms{{0, "0 many"},  {1, "1 one"},      {2, "2 few"},
                                                                 {4, "4 few"},   {5, "5 many"},     {12, "12 many"},
                                                                 {22, "22 few"}, {112, "112 many"}, {1002, "1002 few"}};
  for (const auto& [n, words] : forms) EXPECT_EQ(waiting(n), words);
  EXPECT_EQ(say_many(3, "a block", "blocks"), "few");
}

TEST_F(Messages, ContextTellsShortWordsApart) {
  speak_it();
  EXPECT_EQ(say_in("to move away", "Left"), "Gone");
  EXPECT_EQ(say_in("not right", "Left"), "Other side");
  EXPECT_EQ(say("Left"), "Left") << "without a context it is another sentence";
}

TEST_F(Messages, AFaultyTranslationIsNotUsed) {
  speak_it();
  EXPECT_EQ(say("Misnamed {value}.", "value"_a = 1), "Misnamed 1.");
  EXPECT_EQ(say("Misformatted {value}.", "value"_a = "text"), "Misformatted text.");
  EXPECT_EQ(say("Unclosed {value}.", "value"_a = 1), "Unclosed 1.");
  EXPECT_EQ(say("Not translated {value}.", "value"_a = 1), "Not translated 1.");
  EXPECT_EQ(say("Fuzzy."), "Fuzzy.");
  EXPECT_EQ(say("In no catalogue."), "In no catalogue.");
}

TEST_F(Messages, TablesAreWordedWhenTheyAreDrawn) {
  constexpr ToSay table[] = {to_say("A fixed sentence."), to_say_in("to move away", "Left"), {}};
  EXPECT_EQ(say(table[0]), "A fixed sentence.");
  speak_it();
  EXPECT_EQ(say(table[0]), "Ŵorťe, šťill.");
  EXPECT_EQ(say(table[1]), "Gone");
  EXPECT_EQ(say(table[2]), "");
}

TEST_F(Messages, AMessageWaitsForItsLanguage) {
  const Message where = to_say("Block {block} has {threads} threads.", "block"_a = -1, "threads"_a = std::string("many"));
  const Message how_many = to_say_many(5, "{n} block waits.", "{n} blocks wait.", "n"_a = 5U);
  const Message fixed = to_say("A fixed sentence.");
  EXPECT_EQ(say(how_many), "5 blocks wait.");
  speak_it();
  EXPECT_EQ(say(where), "many threads: block -1.");
  EXPECT_EQ(in_english(where), "Block -1 has many threads.");
  EXPECT_EQ(where.english, "Block {block} has {threads} threads.");
  EXPECT_EQ(where.values[1].name, "threads");
  EXPECT_EQ(say(how_many), "5 many");
  EXPECT_EQ(say(fixed), "Ŵorťe, šťill.");
  EXPECT_EQ(say(Message()), "");
}

TEST_F(Messages, SentencesMayShareTheirValues) {
  const auto said = [](bool writes, std::uint32_t line) {
    const auto given = with("thread"_a = std::string("(3,0,0)"), "at"_a = SourceLine{line}, "times"_a = 2U);
    return writes ? given.to_say("Thread {thread} writes{at}.") : given.to_say("Thread {thread} reads{at}, {times} times.");
  };
  EXPECT_EQ(say(said(true, 12)), "Thread (3,0,0) writes (line 12).");
  EXPECT_EQ(say(said(true, 0)), "Thread (3,0,0) writes.") << "the line is not known";
  EXPECT_EQ(say(said(false, 7)), "Thread (3,0,0) reads (line 7), 2 times.");
  EXPECT_EQ(say("Here{at}.", "at"_a = SourceLine{5}), "Here (line 5).");
  EXPECT_EQ(say("Here{at}.", "at"_a = SourceLine{5, true}), "Here (PTX line 5).");
  EXPECT_EQ(in_english(to_say("Here{at}.", "at"_a = SourceLine{5, true})), "Here (PTX line 5).");
  EXPECT_EQ(said(true, 12), said(true, 12));
  EXPECT_NE(said(true, 12), said(true, 13));
  speak_it();
  EXPECT_EQ(say(said(true, 12)), "(3,0,0) ŵriťeš: łine 12.");
  EXPECT_EQ(in_english(said(true, 12)), "Thread (3,0,0) writes (line 12).");
  EXPECT_EQ(say(said(false, 7)), "Thread (3,0,0) reads: łine 7, 2 times.") << "the sentence is in no catalogue, the line is";
}

TEST_F(Messages, AParagraphHasSeveral) {
  const auto given = with("n"_a = 2U);
  Paragraph all(to_say("A fixed sentence."));
  all.add(given.to_say_many(2, "{n} block waits.", "{n} blocks wait."));
  all.add(Message());
  Paragraph more = to_say("Left");
  more.add(all);
  EXPECT_EQ(say(more), "Left A fixed sentence. 2 blocks wait.");
  EXPECT_EQ(more.sentences.size(), 3U) << "an empty one is none";
  EXPECT_EQ(say(Paragraph(as_it_is("{n} is no field here"))), "{n} is no field here");
  EXPECT_TRUE(Paragraph().empty() && say(Paragraph()).empty());
  speak_it();
  EXPECT_EQ(say(all), "Ŵorťe, šťill. 2 few");
  EXPECT_EQ(in_english(all), "A fixed sentence. 2 blocks wait.");
}

TEST_F(Messages, WhatWasSaidStays) {
  speak_it();
  const Wording words = say("A fixed sentence.");
  ASSERT_TRUE(speak("en", folder_));
  EXPECT_EQ(words, "Ŵorťe, šťill.");
  EXPECT_EQ(std::string(words.c_str()), "Ŵorťe, šťill.");
}

TEST_F(Messages, AnUnknownLanguageIsASentence) {
  const auto spoken = speak("fr", folder_);
  ASSERT_FALSE(spoken);
  EXPECT_EQ(spoken.error().code, "unknown_language");
  EXPECT_EQ(spoken.error().message, "there is no language 'fr'. There are en and these: xt.");
  EXPECT_EQ(speak("fr", folder_ / "nowhere").error().message, "there is no language 'fr': Warpbook has English (en) alone.");
  for (const char* const none : {"", "../xt", "x/t", "xt.mo/..", "C++"}) EXPECT_FALSE(speak(none, folder_)) << none;
  EXPECT_EQ(language_in_force(), "en");
}

TEST_F(Messages, ACodeMayNameACountry) {
  for (const char* const code : {"xt", "xt_YZ", "xt_YZ.UTF-8", "xt-YZ", "xt.utf8@euro"}) {
    ASSERT_TRUE(speak(code, folder_)) << code;
    EXPECT_EQ(language_in_force(), "xt");
    ASSERT_TRUE(speak("en_GB", folder_));
    EXPECT_EQ(language_in_force(), "en");
  }
}

TEST_F(Messages, LanguagesAreListedByTheirOwnNames) {
  write("zz", "broken");
  const auto all = languages_in(folder_);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].code, "en");
  EXPECT_EQ(all[1].code, "xt");
  EXPECT_EQ(all[1].name, "Třígramy");
  EXPECT_TRUE(languages_in(folder_ / "nowhere").empty());
}

TEST_F(Messages, TheDesktopSaysWhichLanguage) {
  const auto spoken = [&](const char* list, const char* messages, const char* lang) {
    EXPECT_TRUE(speak("en", folder_));
    unsetenv("LC_ALL");
    setenv("LANGUAGE", list, 1);
    setenv("LC_MESSAGES", messages, 1);
    setenv("LANG", lang, 1);
    speak_as_the_desktop(folder_);
    return language_in_force();
  };
  EXPECT_EQ(spoken("", "", "xt_YZ.UTF-8"), "xt");
  EXPECT_EQ(spoken("", "xt", "en_US.UTF-8"), "xt");
  EXPECT_EQ(spoken("fr:xt:en", "", "fr_FR.UTF-8"), "xt");
  EXPECT_EQ(spoken("fr:en:xt", "", "fr_FR.UTF-8"), "en");
  EXPECT_EQ(spoken("xt", "", "C.UTF-8"), "en") << "where the locale is C, LANGUAGE does not count";
  EXPECT_EQ(spoken("", "", ""), "en");
  for (const char* const name : {"LANGUAGE", "LC_MESSAGES", "LANG"}) unsetenv(name);
}

TEST_F(Messages, ABrokenCatalogueIsRefused) {
  const std::string good = bytes();
  ASSERT_GT(good.size(), 500U);
  ASSERT_TRUE(Translation::of(good));
  EXPECT_FALSE(Translation::of(""));
  EXPECT_FALSE(Translation::of("msgid \"a\"\nmsgstr \"b\"\n and so on, which is a text and no catalogue"));
  for (std::size_t size = 0; size < good.size(); ++size) {
    const auto cut = Translation::of(good.substr(0, size));
    if (cut) {
      EXPECT_EQ(cut->size(), Translation::of(good)->size()) << size;
    }
  }
  // Whatever a byte says: an error or a sentence, and never a place outside.
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const char bits : {'\x01', '\x80', '\xff'}) {
      std::string changed = good;
      changed[at] = static_cast<char>(changed[at] ^ bits);
      if (const auto read = Translation::of(changed)) {
        static_cast<void>(read->find("", "A fixed sentence."));
        static_cast<void>(read->find("", "{n} block waits.", at));
      }
    }
  }
  write("zz", good.substr(0, good.size() / 2));
  const auto spoken = speak("zz", folder_);
  ASSERT_FALSE(spoken);
  EXPECT_EQ(spoken.error().code, "bad_catalogue");
  EXPECT_NE(spoken.error().message.find("zz.mo"), std::string::npos);
  EXPECT_EQ(say("A fixed sentence."), "A fixed sentence.");
}

TEST_F(Messages, BytesMayBeInEitherOrder) {
  std::string reversed = bytes();
  const auto swap = [&](std::size_t at) {
    std::reverse(reversed.begin() + static_cast<long>(at), reversed.begin() + static_cast<long>(at) + 4);
  };
  const auto number = [&](std::size_t at) {
    return static_cast<unsigned char>(reversed[at]) + 256U * static_cast<unsigned char>(reversed[at + 1]);
  };
  const std::size_t count = number(8), sentences = number(12), translations = number(16);
  for (std::size_t at = 0; at < 28; at += 4) swap(at);
  for (std::size_t i = 0; i < 2 * count; ++i) {
    swap(sentences + 4 * i);
    swap(translations + 4 * i);
  }
  const auto read = Translation::of(reversed);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->find("", "A fixed sentence."), "Ŵorťe, šťill.");
}

TEST(PluralForms, AreExpressionsOfC) {
  EXPECT_EQ(plural_form("n != 1", 1), 0U);
  EXPECT_EQ(plural_form("n != 1", 0), 1U);
  EXPECT_EQ(plural_form("n>1", 2), 1U);
  EXPECT_EQ(plural_form("!n", 0), 1U);
  EXPECT_EQ(plural_form("n==0 ? 0 : n==1 ? 1 : 2", 7), 2U);
  EXPECT_EQ(plural_form("(n+2)*3-1", 2), 11U);
  EXPECT_EQ(plural_form("n%10 == 1 && n%100 != 11 || n/100 >= 3", 300), 1U);
  for (const char* const none : {"", "n n", "n +", "(n", "n)", "m", "n % 0", "1 ? 2", "n ? : 1", "99999999999999999999999"})
    EXPECT_FALSE(plural_form(none, 5)) << none;
  EXPECT_FALSE(plural_form(std::string(100000, '('), 5));
  std::string many(100000, '!');
  many += 'n';
  EXPECT_FALSE(plural_form(many, 5));
}

}  // namespace
}  // namespace warpbook
