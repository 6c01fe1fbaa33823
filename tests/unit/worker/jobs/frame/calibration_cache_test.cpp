// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/frame/calibration_cache.hpp"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/base/files.hpp"

namespace kaname::compute::calibration_cache_test {
namespace {

namespace fs = std::filesystem;

struct Shelf {
    TemporaryFolder folder;
    int n_measured = 0;

    CalibrationCache book(const std::string& owner = "this build") const {
        return {folder.path(), owner};
    }
    double iteration_s(CalibrationCache& book, const std::string& key = "default/p2@2") {
        return book
            .find_or_measure(key,
                             [&] {
                                 ++n_measured;
                                 return jobs::Speed{1e-7 * n_measured, 2e-6};
                             })
            .iteration_s;
    }
    fs::path file() const {
        for (const fs::directory_entry& entry : fs::directory_iterator(folder.path())) {
            if (entry.path().extension() == ".json") {
                return entry.path();
            }
        }
        return {};
    }
};

TEST(CalibrationCache, MeasuresOncePerMachineBuildAndKey) {
    Shelf shelf;
    CalibrationCache first = shelf.book();
    EXPECT_DOUBLE_EQ(shelf.iteration_s(first), 1e-7);

    CalibrationCache second = shelf.book();
    EXPECT_DOUBLE_EQ(shelf.iteration_s(second), 1e-7);
    EXPECT_EQ(shelf.n_measured, 1);

    EXPECT_DOUBLE_EQ(shelf.iteration_s(second, "default/p2@1"), 2e-7);
    CalibrationCache other = shelf.book("another build");
    EXPECT_FALSE(other.find("default/p2@2"));
    EXPECT_DOUBLE_EQ(shelf.iteration_s(other), 3e-7);
}

TEST(CalibrationCache, ReadsWhatAnEarlierVersionKept) {
    Shelf shelf;
    CalibrationCache book = shelf.book();
    (void)shelf.iteration_s(book);
    write_file(shelf.file(), R"({
 "ratios": {
  "pack default": [
   4.0,
   1
  ]
 },
 "speeds": {
  "default/p2@2": {
   "iteration_s": 3.55e-07,
   "setup_s": 2.53e-06
  }
 }
}
)");

    EXPECT_DOUBLE_EQ(book.find("default/p2@2").value().iteration_s, 3.55e-7);
    EXPECT_DOUBLE_EQ(book.find("default/p2@2").value().setup_s, 2.53e-6);
    EXPECT_DOUBLE_EQ(book.past("pack default").factor, 1.0);
    book.record("pack default", 4.0);
    EXPECT_DOUBLE_EQ(book.past("pack default").factor, 2.0);
    EXPECT_DOUBLE_EQ(book.find("default/p2@2").value().setup_s, 2.53e-6);
}

TEST(CalibrationCache, ADamagedFileIsAsNone) {
    Shelf shelf;
    CalibrationCache book = shelf.book();
    (void)shelf.iteration_s(book);
    for (const char* text :
         {"", "{", "[1]", R"({"speeds":{"default/p2@2":{}},"ratios":{}})",
          R"({"speeds":{"default/p2@2":{"iteration_s":-1,"setup_s":1}},"ratios":{}})"}) {
        write_file(shelf.file(), text);

        EXPECT_FALSE(book.find("default/p2@2")) << text;
        EXPECT_DOUBLE_EQ(book.past("pack").factor, 1.0) << text;
    }
    EXPECT_DOUBLE_EQ(shelf.iteration_s(book), 2e-7);
    EXPECT_DOUBLE_EQ(book.find("default/p2@2").value().iteration_s, 2e-7);
}

TEST(CalibrationCache, WhereNothingCanBeKeptItGoesOn) {
    Shelf shelf;
    write_file(shelf.folder.path() / "file", "");
    CalibrationCache book(shelf.folder.path() / "file", "this build");

    EXPECT_DOUBLE_EQ(shelf.iteration_s(book), 1e-7);
    EXPECT_DOUBLE_EQ(shelf.iteration_s(book), 2e-7);

    CalibrationCache none({}, "this build");
    EXPECT_DOUBLE_EQ(shelf.iteration_s(none), 3e-7);
    EXPECT_DOUBLE_EQ(shelf.iteration_s(none), 3e-7);
}

TEST(CalibrationCache, TheMedianOfRecentStagesCorrects) {
    Shelf shelf;
    CalibrationCache book = shelf.book();
    EXPECT_DOUBLE_EQ(book.past("pack").factor, 1.0);

    book.record("pack", 4.0);
    EXPECT_DOUBLE_EQ(book.past("pack").factor, 2.0);  // half of it is the prediction's
    book.record("pack", 100.0);                       // a machine that slept
    book.record("pack", 2.0);
    book.record("pack", 2.0);
    EXPECT_DOUBLE_EQ(book.past("pack").factor, 2.0);
    EXPECT_DOUBLE_EQ(book.past("mesh").factor, 1.0);

    for (int k = 0; k < 20; ++k) {
        book.record("pack", 0.5);
    }
    EXPECT_DOUBLE_EQ(book.past("pack").factor, 0.5);
}

TEST(CalibrationCache, TheSpreadIsThatOfRecentStages) {
    Shelf shelf;
    CalibrationCache book = shelf.book();
    EXPECT_DOUBLE_EQ(book.past("pack").spread, 1.5);

    for (int k = 0; k < 5; ++k) {
        book.record("even", 1.0);
        book.record("uneven", k % 2 == 0 ? 0.5 : 2.0);
    }

    EXPECT_DOUBLE_EQ(book.past("even").spread, 1.15);
    EXPECT_GE(book.past("uneven").spread, 2.0);
}

TEST(CalibrationCache, ProcessesThatRecordAtOnceLoseNothing) {
    Shelf shelf;
    std::vector<std::thread> all;
    for (int k = 0; k < 7; ++k) {
        all.emplace_back([&] { shelf.book().record("pack", 8.0); });
    }
    for (std::thread& one : all) {
        one.join();
    }
    for (int k = 0; k < 7; ++k) {
        shelf.book().record("pack", 0.5);
    }
    // Seven on either side of the prediction's 1.
    EXPECT_DOUBLE_EQ(shelf.book().past("pack").factor, 1.0);
}

}  // namespace
}  // namespace kaname::compute::calibration_cache_test
