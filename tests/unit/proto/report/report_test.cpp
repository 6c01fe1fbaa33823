// SPDX-License-Identifier: BSD-3-Clause
#include "proto/report/report.hpp"

#include <fstream>
#include <functional>
#include <limits>
#include <memory>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "proto/kaname/v1/answer.pb.h"
#include "proto/kaname/v1/command_report.pb.h"
#include "proto/kaname/v1/dataset_report.pb.h"
#include "proto/kaname/v1/mesh_report.pb.h"
#include "proto/kaname/v1/record.pb.h"
#include "proto/kaname/v1/report.pb.h"

namespace kaname::report::report_test {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using nlohmann::json;

/// Each field gets a value of its own; repeated ones two of them.
class Filler {
public:
    void fill(Message& message) {
        for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
            const FieldDescriptor* field = message.GetDescriptor()->field(i);
            if (field->is_map() || (field->message_type() != nullptr &&
                                    field->message_type()->full_name().starts_with("google."))) {
                continue;  // by tests of their own
            }
            for (int k = 0; k < (field->is_repeated() ? 2 : 1); ++k) {
                fill(message, field);
            }
        }
    }

private:
    void fill(Message& message, const FieldDescriptor* field) {
        const Reflection& of = *message.GetReflection();
        const bool list = field->is_repeated();
        ++n_;
        switch (field->cpp_type()) {
            case FieldDescriptor::CPPTYPE_DOUBLE:
                list ? of.AddDouble(&message, field, n_ + 0.1)
                     : of.SetDouble(&message, field, n_ + 0.1);
                break;
            case FieldDescriptor::CPPTYPE_UINT32:
                list ? of.AddUInt32(&message, field, 4000000000U + n_)
                     : of.SetUInt32(&message, field, 4000000000U + n_);
                break;
            case FieldDescriptor::CPPTYPE_INT32:
                of.SetInt32(&message, field, -static_cast<int>(n_));
                break;
            case FieldDescriptor::CPPTYPE_BOOL:
                of.SetBool(&message, field, true);
                break;
            case FieldDescriptor::CPPTYPE_STRING:
                list ? of.AddString(&message, field, "text \"<ä\n" + std::to_string(n_))
                     : of.SetString(&message, field, "text \"<ä\n" + std::to_string(n_));
                break;
            case FieldDescriptor::CPPTYPE_MESSAGE:
                fill(list ? *of.AddMessage(&message, field) : *of.MutableMessage(&message, field));
                break;
            default:
                ADD_FAILURE() << field->full_name() << ": numbers of this type are text in JSON";
        }
    }

    unsigned n_ = 0;
};

void expect_numbers(const Message& message, const json& object) {
    std::vector<const FieldDescriptor*> fields;
    message.GetReflection()->ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) {
        ASSERT_TRUE(object.contains(field->name())) << field->full_name();
        const json& value =
            field->is_repeated() ? object[field->name()].at(0) : object[field->name()];
        const bool number = field->cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE ||
                            field->cpp_type() == FieldDescriptor::CPPTYPE_UINT32 ||
                            field->cpp_type() == FieldDescriptor::CPPTYPE_INT32;
        EXPECT_EQ(value.is_number(), number) << field->full_name();
    }
}

class EachReport : public testing::TestWithParam<const Message*> {};

TEST_P(EachReport, ComesBackAsItWasWithNumbersAsNumbers) {
    const std::unique_ptr<Message> report(GetParam()->New()), back(GetParam()->New());
    Filler().fill(*report);

    for (const Layout layout : {Layout::Line, Layout::Indented}) {
        const std::string text = to_json(*report, layout);
        expect_numbers(*report, json::parse(text));
        back->Clear();
        parse_into(text, "report", *back);
        EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(*report, *back)) << text;
    }
}

TEST_P(EachReport, HasEveryFieldThatIsNotOptional) {
    const std::unique_ptr<Message> report(GetParam()->New());
    const json object = json::parse(to_json(*report));

    for (int i = 0; i < report->GetDescriptor()->field_count(); ++i) {
        const FieldDescriptor* field = report->GetDescriptor()->field(i);
        EXPECT_EQ(object.contains(field->name()), !field->has_presence()) << field->full_name();
    }
}

INSTANTIATE_TEST_SUITE_P(
    Reports, EachReport,
    testing::Values(&v1::Estimate::default_instance(), &v1::SolveReport::default_instance(),
                    &v1::SessionReport::default_instance(), &v1::PackReport::default_instance(),
                    &v1::SolveCommand::default_instance(), &v1::PackageReport::default_instance(),
                    &v1::SliceReport::default_instance(), &v1::ProbeReport::default_instance(),
                    &v1::BuildReport::default_instance(), &v1::WrittenReport::default_instance(),
                    &v1::MeshReport::default_instance(), &v1::MeshCheckReport::default_instance(),
                    &v1::DatasetReport::default_instance(),
                    &v1::StageTimesRecord::default_instance(),
                    &v1::SpeedsRecord::default_instance(), &v1::RunSummary::default_instance(),
                    &v1::RunReport::default_instance(), &v1::ValidateReport::default_instance(),
                    &v1::DoctorReport::default_instance()),
    [](const auto& of) { return of.param->GetDescriptor()->name(); });

TEST(Report, ASpecificationStaysAsItIs) {
    const std::string text =
        R"({"name":"a","fault":{"plane":{"n_strike":12,"dip_deg":0.1}},"list":[1e+19,"2",null,true]})";
    v1::DatasetReport report;
    parse_into(text, "specification", *report.mutable_provenance()->mutable_specification());

    const auto back = parse<v1::DatasetReport>(to_json(report), "dataset");

    EXPECT_EQ(json::parse(to_json(back.provenance().specification())), json::parse(text));
}

TEST(Report, WhatJsonLacksIsReplacedOrLeftOut) {
    v1::SolveReport report;
    report.set_device("caf\xe9");
    report.add_warnings("\xff");
    report.set_mean_iterations(std::numeric_limits<double>::quiet_NaN());
    report.set_solve_s(2.5);

    const json object = json::parse(to_json(report));

    EXPECT_EQ(object["device"], "caf\xef\xbf\xbd");
    EXPECT_EQ(object["warnings"][0], "\xef\xbf\xbd");
    EXPECT_FALSE(object.contains("mean_iterations"));
    EXPECT_EQ(object["solve_s"], 2.5);
}

TEST(Report, LongListsTakeTheMemoryOfTheirText) {
    constexpr int kMany = 200000, kMostKiB = 64 << 10;
    v1::AnswerResult result;
    result.mutable_axes()->add_epochs_s(0.1);
    for (int k = 0; k < kMany; ++k) {
        result.add_values(k / 7.0);
        result.mutable_axes()->add_epochs_s(-k / 3.0);
    }
    const auto status_kib = [](const std::string& name) {
        std::ifstream status("/proc/self/status");
        long kib = 0;
        for (std::string word; status >> word;) {
            if (word == name + ":") {
                status >> kib;
            }
        }
        return kib;
    };
    std::ofstream("/proc/self/clear_refs") << "5";  // the peak begins anew
    const long before = status_kib("VmRSS");

    const std::string text = to_json(result);

    EXPECT_LT(status_kib("VmHWM") - before, kMostKiB);
    const auto back = parse<v1::AnswerResult>(text, "answer");
    EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(back, result));
    EXPECT_NE(text.find("\"rheology\":\"0\""), std::string::npos) << "every field is there";
}

TEST(Report, ANumberThatStandsForAListMayComeFromACaller) {
    v1::AnswerResult result;
    result.mutable_axes()->add_epochs_s(-std::numeric_limits<double>::max());
    for (int k = 0; k < 1000; ++k) {
        result.add_values(k);
    }
    v1::AnswerResult other = result;
    other.mutable_axes()->mutable_epochs_s()->Swap(other.mutable_values());

    for (const v1::AnswerResult& one : {result, other}) {
        EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(
            parse<v1::AnswerResult>(to_json(one), "answer"), one));
    }
}

TEST(Report, OfAnotherVersionLacksFieldsAndHasOthers) {
    const auto report = parse<v1::SolveReport>(
        R"({"dof":61542,"temperature_k":[1,{"deep":null}],"mean_iterations":null,"peak_bytes":1.5e9})",
        "report");

    EXPECT_EQ(report.dof(), 61542U);
    EXPECT_FALSE(report.has_mean_iterations());
    EXPECT_EQ(report.peak_bytes(), 1.5e9);
    EXPECT_EQ(report.sources_done(), 0U);
}

TEST(Report, OneThatIsNoneIsNamedWithWhatItShouldBe) {
    for (const char* text :
         {"", "{", "[]", "7", R"({"dof":"x"})", R"({"dof":-1})", R"({"dof":5e9})", R"({} {})"}) {
        try {
            (void)parse<v1::SolveReport>(text, "kaname-compute solve");
            ADD_FAILURE() << text;
        } catch (const BrokenReport& error) {
            const std::string said = error.what();
            EXPECT_TRUE(
                said.starts_with("kaname-compute solve: must be a kaname.v1.SolveReport in JSON: "))
                << said;
            EXPECT_EQ(said.find('\n'), std::string::npos) << said;
            EXPECT_EQ(error.code(), ErrorCode::Internal);
        }
    }
}

TEST(Report, CountsHave32Bits) {
    EXPECT_EQ(count(4294967295), 4294967295U);
    EXPECT_THROW((void)count(4294967296), Error);
    EXPECT_THROW((void)count(-1), Error);
}

TEST(Report, AMessageInsideOfAReportKeepsItsBytes) {
    v1::RunSummary inner;
    inner.set_commit(std::string(200, 'x'));  // its length is a byte that is no UTF-8
    v1::ValidateReport report;
    report.mutable_specification()->PackFrom(inner);

    const json read = json::parse(to_json(report));

    EXPECT_EQ(read["specification"]["@type"], "type.googleapis.com/kaname.v1.RunSummary");
    EXPECT_EQ(read["specification"]["commit"], inner.commit());
}

}  // namespace
}  // namespace kaname::report::report_test
