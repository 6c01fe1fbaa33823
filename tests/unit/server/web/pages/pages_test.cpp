// SPDX-License-Identifier: BSD-3-Clause
// Downloads as curl gets them, of jobs that went through the services.
#include "server/run/daemon/state_folder.hpp"
#include "server/service/jobs/resolved_request.hpp"
#include "server/web/http/server.hpp"
#include "server/web/pages/site.hpp"
#include "tests/support/curl.hpp"
#include "tests/unit/server/grpc/api_fixture.hpp"

namespace kaname::service::pages_test {
namespace {

using test::Fetched;

class Pages : public ApiTest {
protected:
    Pages() { pages_ = serve({.listen = "127.0.0.1:0"}); }

    std::unique_ptr<http::Server> serve(const http::ServerOptions& options) {
        return std::make_unique<http::Server>(
            options, pages::all_pages([this] { return server_->metrics(); }, server_->downloads()),
            [this](http::Request& request, auth::Role needed, const std::string& method) {
                return server_->authenticate(request.header("authorization"), needed, method);
            });
    }
    Fetched fetch(const std::string& path, std::vector<std::string> options = {},
                  const std::string& token = "") {
        options.push_back("http://127.0.0.1:" + std::to_string(pages_->port()) + path);
        options.insert(options.end(),
                       {"-H", "Authorization: Bearer " + (token.empty() ? viewer_ : token)});
        return curl_(options);
    }
    Fetched fetch_with(const std::string& path, const std::string& header) {
        return fetch(path, {"-H", header});
    }
    /// A job of which `rounds` of three rounds of tasks are done.
    std::string job(int rounds) {
        const v1::Job submitted = submit();
        register_worker();
        for (int round = 0; round < rounds; ++round) {
            const v1::ClaimResponse claimed = claim();
            for (const v1::Task& task : claimed.tasks()) {
                EXPECT_TRUE(complete(task, "result of " + task.label() + kTail).ok());
            }
        }
        return id_of(submitted);
    }
    static std::string file_of(const std::string& job) { return "/v1/datasets/" + job + "/file"; }

    const std::string kTail = std::string(300000, 'x') + std::string("\0\r\n\xff", 4);
    test::Curl curl_;
    std::unique_ptr<http::Server> pages_;
};

TEST_F(Pages, ADatasetComesWholeAndWithItsHeaders) {
    const std::string path = file_of(job(3));

    const Fetched got = fetch(path);

    EXPECT_EQ(got.status, 200) << got.body;
    const std::string hash = sha256_hex(got.body);
    EXPECT_EQ(got.body, "result of package" + kTail);
    EXPECT_EQ(got.header("ETag"), '"' + hash + '"');
    EXPECT_EQ(got.header("Accept-Ranges"), "bytes");
    EXPECT_EQ(got.header("Content-Type"), "application/x-hdf5");
    EXPECT_EQ(got.header("Content-Disposition"), "attachment; filename=\"greens.h5\"");
    EXPECT_EQ(got.header("Content-Length"), std::to_string(got.body.size()));
    EXPECT_EQ(fetch("/v1/artifacts/" + hash).body, got.body);
    EXPECT_EQ(fetch("/v1/artifacts/" + hash + "?verify=true").body, got.body);
    const Fetched head = fetch(path, {"--head"});
    EXPECT_EQ(head.status, 200);
    EXPECT_EQ(head.header("Content-Length"), std::to_string(got.body.size()));
    EXPECT_EQ(head.header("ETag"), got.header("ETag"));
}

TEST_F(Pages, TheDigestIsThatOfTheFile) {
    const std::string hash = put_text(artifacts_, "abc");

    // RFC 9530's form of NIST's example for SHA-256.
    EXPECT_EQ(fetch("/v1/artifacts/" + hash).header("Repr-Digest"),
              "sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:");
}

TEST_F(Pages, RangesArePartsOfTheFile) {
    const std::string path = file_of(job(3)), whole = fetch(path).body;
    const std::string size = std::to_string(whole.size());
    const auto range = [&](const std::string& text) { return fetch(path, {"--range", text}); };

    EXPECT_EQ(range("10-19").status, 206);
    EXPECT_EQ(range("10-19").body, whole.substr(10, 10));
    EXPECT_EQ(range("10-19").header("Content-Range"), "bytes 10-19/" + size);
    EXPECT_EQ(range("200000-").body, whole.substr(200000));
    EXPECT_EQ(range("-5").body, whole.substr(whole.size() - 5));
    EXPECT_EQ(range("-5").header("Content-Length"), "5");
    EXPECT_EQ(range("0-0,5-9").status, 200);
    EXPECT_EQ(range("0-0,5-9").body, whole);
    EXPECT_EQ(range(size + "-").status, 416);
    EXPECT_EQ(range(size + "-").header("Content-Range"), "bytes */" + size);
    EXPECT_EQ(fetch(path, {"--head", "--range", "10-19"}).status, 200);
}

TEST_F(Pages, ADownloadThatBrokeOffGoesOn) {
    const std::string path = file_of(job(3)), whole = fetch(path).body;
    const std::filesystem::path file = folder_.path() / "greens.h5";
    write_file(file, whole.substr(0, 123456));
    const std::string url = "http://127.0.0.1:" + std::to_string(pages_->port()) + path;

    const Fetched rest = curl_({url, "-H", "Authorization: Bearer " + viewer_, "-C", "-"}, file);

    EXPECT_EQ(rest.status, 206);
    EXPECT_TRUE(read_file_if_any(file) == whole);
}

TEST_F(Pages, ConditionsAreKept) {
    const std::string path = file_of(job(3));
    const Fetched whole = fetch(path);
    const std::string tag = whole.header("ETag");
    const auto part_if = [&](const std::string& if_range) {
        return fetch(path, {"--range", "5-9", "-H", "If-Range: " + if_range});
    };

    EXPECT_EQ(part_if(tag).status, 206);
    EXPECT_EQ(part_if("\"" + std::string(64, '0') + "\"").status, 200);
    EXPECT_EQ(part_if("\"" + std::string(64, '0') + "\"").body, whole.body);
    EXPECT_EQ(part_if("W/" + tag).status, 200);
    EXPECT_EQ(part_if("Tue, 15 Nov 1994 12:45:26 GMT").status, 200);
    EXPECT_EQ(fetch_with(path, "If-None-Match: \"x\", W/" + tag).status, 304);
    EXPECT_EQ(fetch_with(path, "If-None-Match: \"x\", W/" + tag).body, "");
    EXPECT_EQ(fetch_with(path, "If-None-Match: \"x\"").status, 200);
    EXPECT_EQ(fetch_with(path, "If-Match: \"x\"").status, 412);
    EXPECT_EQ(fetch_with(path, "If-Match: " + tag).status, 200);
}

TEST_F(Pages, AJobThatHasNotEndedSaysSoAndGivesWhatIsDone) {
    const std::string path = file_of(job(2));

    const Fetched refused = fetch_with(path, "Accept: application/json");
    const Fetched part = fetch(path + "?partial=true");

    EXPECT_EQ(refused.status, 409);
    EXPECT_NE(refused.body.find("NOT_READY"), std::string::npos) << refused.body;
    EXPECT_NE(refused.body.find("has no dataset yet"), std::string::npos) << refused.body;
    EXPECT_EQ(part.status, 200) << part.body;
    EXPECT_EQ(part.header("ETag"), '"' + sha256_hex(part.body) + '"');
    EXPECT_EQ(part.header("Cache-Control"), "private, no-cache");
}

TEST_F(Pages, RefusalsAreThoseOfTheOtherCalls) {
    const std::string path = file_of(job(3));
    const std::string nobody = store::make_uuid(), hash(64, '0');

    EXPECT_EQ(fetch(path, {}, "guess").status, 401);
    EXPECT_EQ(fetch(path, {}, agent_).status, 403);
    const auto audit = store_.list_audit(10, "");
    ASSERT_FALSE(audit.rows.empty());
    EXPECT_EQ(audit.rows.front().method, "GET /v1/datasets/");
    EXPECT_EQ(audit.rows.front().principal, "agent");
    EXPECT_EQ(fetch(file_of(nobody)).status, 404);
    EXPECT_EQ(fetch("/v1/artifacts/" + hash).status, 404);
    EXPECT_EQ(fetch(file_of("7")).status, 400);
    EXPECT_EQ(fetch("/v1/artifacts/..%2F..%2Fetc%2Fpasswd").status, 400);
    EXPECT_EQ(fetch("/v1/datasets/" + nobody).status, 404);
    EXPECT_EQ(fetch(path + "?partial=yes").body, "partial: must be true or false, got \"yes\"\n");
    EXPECT_EQ(fetch(path + "?whole=true").body, "whole: must be one of partial, verify\n");
    EXPECT_EQ(fetch(path, {"--data", "x"}).status, 405);
}

TEST_F(Pages, ADamagedFileIsToldAndSetAside) {
    const std::string hash = put_text(artifacts_, "what was computed");
    const std::filesystem::path file = artifacts_.object_path(hash);
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    write_file(file, "what was computex");

    const Fetched damaged = fetch("/v1/artifacts/" + hash + "?verify=true");

    EXPECT_EQ(damaged.status, 500);
    EXPECT_NE(damaged.body.find(hash), std::string::npos) << damaged.body;
    EXPECT_EQ(fetch("/v1/artifacts/" + hash).status, 404);
}

TEST_F(Pages, DownloadsCountWithThoseOfTheOtherCalls) {
    const std::string hash = put_text(artifacts_, "text");
    const Downloads::Caller caller{{"viewer", auth::Role::Viewer}, ""};
    std::vector<Download> open;
    for (int k = 0; k < kDownloads.per_principal; ++k) {
        open.push_back(server_->downloads().artifact(hash, false, caller));
    }

    EXPECT_EQ(fetch("/v1/artifacts/" + hash).status, 429);
    open.pop_back();
    EXPECT_EQ(fetch("/v1/artifacts/" + hash).status, 200);
    EXPECT_EQ(fetch("/v1/artifacts/" + hash).status, 200);  // its place was given back
}

TEST_F(Pages, OverTlsTheSameBytesCome) {
    const daemon::KeyPair pair = daemon::self_signed(folder_.path(), "127.0.0.1");
    const auto secret =
        serve({.listen = "127.0.0.1:0", .certificate = pair.certificate, .key = pair.key});
    const std::string text = kTail + kTail + kTail;
    const std::string hash = put_text(artifacts_, text);
    const std::string url =
        "https://127.0.0.1:" + std::to_string(secret->port()) + "/v1/artifacts/" + hash;
    const std::string token = "Authorization: Bearer " + viewer_;
    const std::string ca = (folder_.path() / "tls/certificate.pem").string();

    EXPECT_EQ(curl_({url, "-H", token, "--cacert", ca}).body, text);
    EXPECT_EQ(curl_({url, "-H", token, "--cacert", ca, "--range", "299990-700000"}).body,
              text.substr(299990, 400011));
    EXPECT_EQ(curl_({url, "-H", token}).exit, 60);  // nobody vouches for it
    EXPECT_NE(curl_({url, "-H", token, "--cacert", ca, "--tls-max", "1.1"}).exit, 0);
}

}  // namespace
}  // namespace kaname::service::pages_test
