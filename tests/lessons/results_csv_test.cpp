#include "lessons/results_csv.h"

#include <gtest/gtest.h>

#include "lessons/catalog.h"
#include "lessons/host.h"
#include "tests/lessons/holds.h"

namespace warpbook::lessons {
namespace {

TEST(ResultsCsv, HasControlsNumbersAndTheArraysShown) {
  const Lesson& lesson = *find_lesson("07");
  gpu::Compiler compiler;
  auto device = gpu::make_virtual_device(compiler);
  ASSERT_TRUE(device);
  Values values = Values::defaults(lesson.controls);
  values.set("atomics", 1);
  values.set("bins", 4);
  Host host(**device, {.kernel_file = lesson.kernel_file, .kernel_text = *kernel_text(lesson), .defines = {}});
  const auto outcome = lesson.run(host, values, nullptr);
  ASSERT_TRUE(outcome);
  const std::string table = results_csv(lesson, values, *outcome);
  EXPECT_TRUE(table.starts_with("run,kind,name,index,value,unit,label\r\n"));
  EXPECT_TRUE(holds(table, "1,control,bins,,4,,Bins\r\n"));
  EXPECT_TRUE(holds(table, "1,control,atomics,,global,,Atomics\r\n"));
  const auto number = [&](const std::string& name) {
    for (const Number& n : outcome->numbers)
      if (n.name == name) return std::to_string(static_cast<long long>(n.value));
    return std::string("none");
  };
  EXPECT_TRUE(holds(table, "1,result,counted,," + number("counted") + ",,Counted\r\n"));
  EXPECT_TRUE(holds(table, "1,array,counted,3," + number("bin_3") + ",,\r\n")) << table;
  EXPECT_TRUE(holds(table, "1,array,reference,0," + number("reference_0") + ",,\r\n"));
}

TEST(ResultsCsv, EarlierRunsComeFirstAndWordsAreQuoted) {
  Control control;
  control.id = "n";
  control.label = to_say("Values, \"all\"");
  Lesson lesson;
  lesson.controls = {control};
  Values two, three;
  two.set("n", 2);
  three.set("n", 3);
  Number got;
  got.name = "got", got.label = to_say("Got"), got.value = 0.5, got.unit = "ms";
  const std::vector<PastRun> earlier{{.values = two, .numbers = {got}}};
  const std::string table = results_csv(lesson, three, Outcome{}, earlier);
  EXPECT_EQ(table,
            "run,kind,name,index,value,unit,label\r\n"
            "1,control,n,,2,,\"Values, \"\"all\"\"\"\r\n"
            "1,result,got,,0.5,ms,Got\r\n"
            "2,control,n,,3,,\"Values, \"\"all\"\"\"\r\n");
}

TEST(ResultsCsv, AnArrayTooLongForATableSaysSo) {
  Field field;
  field.heat = std::make_shared<const std::vector<float>>(std::size_t{1025} * 1024);
  Outcome outcome;
  outcome.figures.emplace_back(field);
  EXPECT_TRUE(holds(results_csv({}, {}, outcome), "1,array,heat,,,,1049600 values are too many for a table\r\n"));
}

TEST(ResultsCsv, OneFigureIsATableBetweenTabs) {
  Trials trials;
  trials.bars = {{.value = 1, .count = 90}, {.value = 2, .count = 10}};
  EXPECT_TRUE(has_table(trials));
  EXPECT_EQ(figure_table(trials),
            "name\tindex\tvalue\tunit\tlabel\n"
            "trials\t1\t90\t\t\n"
            "trials\t2\t10\t\t\n");
  Checks checks;
  Checks::Row& row = checks.rows.emplace_back();
  row.name = "one\ttwo", row.verdict = Checks::Verdict::wrong, row.message = "First.\nSecond.";
  EXPECT_EQ(figure_table(checks),
            "name\tindex\tvalue\tunit\tlabel\n"
            "checks\tone two\twrong\t\tFirst. Second.\n");
  EXPECT_FALSE(has_table(MemoryMap{})) << "a picture, not a result";
}

}  // namespace
}  // namespace warpbook::lessons
