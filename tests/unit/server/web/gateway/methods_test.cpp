// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "proto/kaname/v1/admin_service.pb.h"
#include "proto/kaname/v1/greens.pb.h"
#include "proto/kaname/v1/workers_service.pb.h"
#include "server/web/gateway/gateway.hpp"
#include "server/web/gateway/in_process_channel.hpp"
#include "server/web/gateway/messages.hpp"
#include "solvers/base/error.hpp"

namespace kaname::gateway::methods_test {
namespace {

/// Names of the services of proto/kaname/v1, from its files.
std::set<std::string> services() {
    std::set<std::string> names;
    const auto* pool = google::protobuf::DescriptorPool::generated_pool();
    for (const auto& entry : std::filesystem::directory_iterator(
             std::filesystem::path(KANAME_SOURCE_DIR) / "proto/kaname/v1")) {
        const auto* file =
            pool->FindFileByName("proto/kaname/v1/" + entry.path().filename().string());
        for (int k = 0; file != nullptr && k < file->service_count(); ++k) {
            names.insert(file->service(k)->name());
        }
    }
    return names;
}

TEST(Methods, EveryCallIsServedOrLeftOutByName) {
    const std::set<std::string> served(served_services().begin(), served_services().end());
    std::set<std::string> all = services();
    EXPECT_EQ(all.erase(v1::ClaimRequest::descriptor()->file()->service(0)->name()), 1U);
    EXPECT_EQ(all, served);

    std::set<std::string> left_out;
    for (const Method& method : methods_of(served_services())) {
        EXPECT_EQ(find(methods_of(served_services()), method.name) != nullptr,
                  method.why_not.empty());
        if (!method.why_not.empty()) {
            left_out.insert(method.name);
        }
    }

    EXPECT_EQ(left_out, (std::set<std::string>{"Admin/MakeLoginCode", "Artifacts/GetUpload",
                                               "Artifacts/Put", "Artifacts/ReadArtifact",
                                               "Artifacts/ReadSlice", "Campaigns/CreateCampaign",
                                               "Campaigns/ExtendCampaign", "Greens/SubmitBatch"}));
}

TEST(Methods, WhatIsNoCallIsNotFound) {
    const auto methods = methods_of(served_services());

    EXPECT_NE(find(methods, "Jobs/ListJobs"), nullptr);
    EXPECT_EQ(find(methods, "Jobs/ListJobs")->path(), "/kaname.v1.Jobs/ListJobs");
    for (const char* name : {"", "Jobs", "Jobs/", "/ListJobs", "jobs/ListJobs", "Jobs/ListJobs/",
                             "Workers/Claim", "Jobs/ListJobs\n"}) {
        EXPECT_EQ(find(methods, name), nullptr) << name;
    }
}

TEST(Messages, ARequestIsReadStrictly) {
    const auto& type = *v1::SetQuotaRequest::descriptor();
    const auto message = parse(type, R"({"owner": "ada", "queued": "5"})", "body");
    const auto& quota = dynamic_cast<const v1::SetQuotaRequest&>(*message);
    EXPECT_EQ(quota.owner(), "ada");
    EXPECT_EQ(quota.queued(), 5);
    EXPECT_FALSE(quota.has_bytes());
    EXPECT_NO_THROW((void)parse(type, " \n", "body"));

    std::string deep;
    for (int k = 0; k < 100000; ++k) {
        deep += "[";
    }
    for (const std::string& text :
         {std::string("x"), std::string("[]"), std::string(R"({"owner": "ada")"),
          std::string("{\"owner\": \"\xff\"}"), deep}) {
        try {
            (void)parse(type, text, "body");
            ADD_FAILURE() << text.substr(0, 50);
        } catch (const ValidationError& error) {
            EXPECT_EQ(error.violations().front().field, "body");
            EXPECT_LT(error.violations().front().message.size(), 700U);
        }
    }
}

TEST(Messages, TheFieldThatIsWrongIsNamed) {
    const auto wrong = [](const auto& type, const std::string& text) {
        try {
            (void)parse(type, text, "body");
        } catch (const ValidationError& error) {
            return error.violations().front().field + ": " + error.violations().front().message;
        }
        return std::string("is read");
    };
    const auto& quota = *v1::SetQuotaRequest::descriptor();
    const std::string fit = ": must fit a kaname.v1.SetQuotaRequest in JSON: invalid value ";
    EXPECT_EQ(wrong(quota, R"({"nobody": 1})"),
              "nobody: must be a field: kaname.v1.SetQuotaRequest has none of this name there");
    EXPECT_EQ(wrong(quota, R"({"owner": 5})"), "owner" + fit + "5 for type TYPE_STRING");
    EXPECT_EQ(wrong(quota, R"({"queued": 1e30})"), "queued" + fit + "1e+30 for type TYPE_INT64");
    EXPECT_EQ(wrong(*v1::GreensBatch::descriptor(), R"({"mesh": {"sizeFar": 9}})"),
              "mesh.sizeFar: must be a field: kaname.v1.GreensBatch has none of this name there");
}

TEST(Messages, AnOptionThatWasRemovedIsNamed) {
    try {
        (void)parse(*v1::GreensBatch::descriptor(),
                    R"({"name": "old", "mesh": {"sizeFarM": 9, "layers_above": 5}})", "body");
        ADD_FAILURE() << "is read";
    } catch (const ValidationError& error) {
        EXPECT_EQ(error.violations().front().field, "mesh.layers_above");
        EXPECT_EQ(error.violations().front().message, "was removed: it had no effect; delete it");
    }
}

}  // namespace
}  // namespace kaname::gateway::methods_test
