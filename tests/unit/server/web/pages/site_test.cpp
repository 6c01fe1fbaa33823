// SPDX-License-Identifier: BSD-3-Clause
// The gRPC server's calls over HTTP, as a browser and curl make them.
#include "server/web/pages/site.hpp"

#include <csignal>
#include <cstring>
#include <thread>

#include <httplib.h>
#include <nlohmann/json.hpp>

#include "tests/unit/server/grpc/api_fixture.hpp"

namespace kaname::service::site_test {
namespace {

using nlohmann::json;

class FakeDescriber final : public helpers::Describer {
public:
    std::string describe(const std::vector<std::string>& arguments,
                         const helpers::Caller&) override {
        ++n_calls;
        last = arguments;
        if (arguments.front() == "map") {
            return R"({"title":"tiny","stations":[{"id":"A"}],"status_counts":{"done":2}})";
        }
        return R"({"of":")" + arguments.front() + "\"}";
    }
    std::atomic<int> n_calls = 0;
    std::vector<std::string> last;
};

class SiteTest : public ApiTest {
protected:
    /// The client may write to a connection that was closed behind a refusal.
    static void SetUpTestSuite() { std::signal(SIGPIPE, SIG_IGN); }

    SiteTest()
        : site_({.http = {.listen = "127.0.0.1:0"},
                 .page = folder_.path() / "page",
                 .sessions = folder_.path() / "sessions",
                 .version = "test"},
                *server_, Backends{store_, artifacts_, checkpoints_, compute_, tokens_, running_},
                describer_),
          client_("127.0.0.1", site_.port()) {
        client_.set_keep_alive(true);
        client_.set_tcp_nodelay(true);
    }
    ~SiteTest() override {
        server_->drain();
        site_.stop();
    }

    struct Got {
        int status = 0;
        json body;
        std::string text;
    };
    static Got got(const httplib::Result& result) {
        if (!result) {
            return {};
        }
        return {result->status, json::parse(result->body, nullptr, false), result->body};
    }
    static httplib::Headers as(const std::string& token) {
        return {{"Authorization", "Bearer " + token}};
    }
    Got call(const std::string& method, const json& request, const std::string& token) {
        return got(
            client_.Post("/v1/rpc/" + method, as(token), request.dump(), "application/json"));
    }
    Got get(const std::string& path, const std::string& token) {
        return got(client_.Get(path, as(token)));
    }
    /// Logs in; the cookie.
    std::string session(const std::string& token) {
        const auto answer = client_.Post("/v1/login", {{"X-Kaname-Page", "1"}},
                                         json{{"token", token}}.dump(), "application/json");
        EXPECT_EQ(answer->status, 200);
        const std::string cookie = answer->get_header_value("Set-Cookie");
        return cookie.substr(0, cookie.find(';'));
    }

    /// Events of a stream, until `until` says that it is enough, or its end.
    struct Event {
        std::string name, id;
        json data;
    };
    std::vector<Event> events(const std::string& path, httplib::Headers headers,
                              const std::function<bool(const std::vector<Event>&)>& until = {}) {
        httplib::Client client("127.0.0.1", site_.port());
        client.set_read_timeout(20);
        std::vector<Event> all;
        std::string text;
        (void)client.Get(path, headers, [&](const char* data, std::size_t size) {
            text.append(data, size);
            for (std::size_t end = text.find("\n\n"); end != std::string::npos;
                 end = text.find("\n\n")) {
                Event event;
                std::istringstream lines(text.substr(0, end));
                for (std::string line; std::getline(lines, line);) {
                    const std::size_t colon = line.find(": ");
                    const std::string name = line.substr(0, colon);
                    const std::string value = line.substr(colon + 2);
                    if (name == "event") {
                        event.name = value;
                    } else if (name == "id") {
                        event.id = value;
                    } else if (name == "data") {
                        event.data = json::parse(value, nullptr, false);
                    }
                }
                all.push_back(event);
                text.erase(0, end + 2);
            }
            return !until || !until(all);
        });
        return all;
    }
    static std::string quoted(const json& request) {
        return httplib::detail::encode_query_param(request.dump());
    }
    std::string watch(const v1::Job& job) {
        return "/v1/events/Jobs/WatchJob?request=" + quoted({{"name", job.name()}});
    }
    /// All tasks of a job, in its rounds.
    void compute_all() {
        register_worker();
        for (int round = 0; round < 3; ++round) {
            const v1::ClaimResponse claimed = claim();
            for (const v1::Task& task : claimed.tasks()) {
                EXPECT_TRUE(complete(task, "result of " + task.label()).ok());
            }
        }
    }

    FakeDescriber describer_;
    pages::Site site_;
    httplib::Client client_;
};

TEST_F(SiteTest, ACallIsTheHandlersOwn) {
    const v1::Job job = submit();

    const Got list = call("Jobs/ListJobs", {{"page_size", 5}}, viewer_);
    const Got one = call("Jobs/GetJob", {{"name", job.name()}}, viewer_);
    const Got gone = call("Jobs/CancelJob", {{"name", job.name()}}, user_);

    EXPECT_EQ(list.status, 200) << list.text;
    EXPECT_EQ(list.body["jobs"][0]["name"], job.name());
    EXPECT_EQ(list.body["next_page_token"], "");
    EXPECT_EQ(one.body["state"], "ACTIVE");
    EXPECT_EQ(one.body["counts"]["sources"], std::to_string(job.counts().sources()));
    EXPECT_EQ(gone.body["state"], "CANCELLED");
    EXPECT_EQ(call("Jobs/DeleteJob", {{"name", job.name()}}, user_).body, json::object());
}

TEST_F(SiteTest, ErrorsAreThoseOfGrpc) {
    const v1::Job job = submit();

    const Got refused = call("Jobs/CancelJob", {{"name", job.name()}}, viewer_);
    const Got missing = call("Jobs/GetJob", {{"name", "jobs/" + worker_}}, viewer_);
    const Got wrong = call("Jobs/ListJobs", {{"page_size", -1}}, viewer_);
    const Got unknown = call("Jobs/ListJobs", {{"pages", 1}}, viewer_);

    EXPECT_EQ(refused.status, 403);
    EXPECT_EQ(refused.body["code"], 7);
    EXPECT_EQ(missing.status, 404);
    EXPECT_EQ(missing.body["code"], 5);
    EXPECT_EQ(wrong.status, 400);
    EXPECT_NE(wrong.text.find("page_size"), std::string::npos);
    EXPECT_EQ(unknown.status, 400);
    EXPECT_NE(unknown.text.find("\"field\":\"pages\""), std::string::npos) << unknown.text;
    EXPECT_EQ(call("Jobs/WatchJob", {{"name", job.name()}}, viewer_).status, 404);
    EXPECT_EQ(call("Workers/Claim", json::object(), agent_).status, 403);
    EXPECT_EQ(call("Workers/Claim", json::object(), admin_).status, 404);
    EXPECT_EQ(call("Jobs/ListJobs", json::object(), "no token").status, 401);
    EXPECT_EQ(got(client_.Get("/v1/rpc/Jobs/ListJobs", as(viewer_))).status, 405);
    EXPECT_EQ(got(client_.Post("/v1/rpc/Jobs/ListJobs", as(viewer_), "{}", "text/plain")).status,
              415);
    EXPECT_EQ(got(client_.Post("/v1/rpc/Jobs/ListJobs", as(viewer_),
                               std::string((1U << 20U) + 1, ' '), "application/json"))
                  .status,
              413);
}

/// A role may call exactly the methods that its session lists.
TEST_F(SiteTest, EachRoleMayWhatItIsTold) {
    const std::map<std::string, std::string> tokens = {
        {"viewer", viewer_},
        {"user", user_},
        {"operator", tokens_.issue("op", auth::Role::Operator)},
        {"admin", admin_}};
    for (const auto& [role, token] : tokens) {
        const Got session = get("/v1/session", token);
        EXPECT_EQ(session.body["role"], role);
        std::set<std::string> may;
        for (const char* list : {"methods", "streams"}) {
            for (const json& name : session.body[list]) {
                may.insert(name);
            }
        }
        for (const gateway::Method& method : site_.gateway().methods()) {
            if (!method.why_not.empty()) {
                EXPECT_FALSE(may.contains(method.name)) << method.name;
                continue;
            }
            const int status = method.streams()
                                   ? got(client_.Get("/v1/events/" + method.name, as(token))).status
                                   : call(method.name, json::object(), token).status;
            EXPECT_EQ(status == 403, !may.contains(method.name)) << role << ' ' << method.name;
        }
    }
    EXPECT_EQ(get("/v1/session", agent_).status, 403);
    EXPECT_EQ(get("/v1/session", "").status, 401);
}

TEST_F(SiteTest, ACookieCallsLikeItsToken) {
    const v1::Job job = submit();
    const std::string cookie = session(user_);
    const auto cancel = [&](httplib::Headers headers) {
        headers.emplace("Cookie", cookie);
        return got(client_.Post("/v1/rpc/Jobs/CancelJob", headers,
                                json{{"name", job.name()}}.dump(), "application/json"));
    };

    EXPECT_EQ(cancel({}).status, 403);
    EXPECT_EQ(cancel({{"X-Kaname-Page", "1"}, {"Sec-Fetch-Site", "cross-site"}}).status, 403);
    EXPECT_EQ(cancel({{"X-Kaname-Page", "1"}, {"Origin", "http://other"}}).status, 403);
    EXPECT_EQ(call("Jobs/GetJob", {{"name", job.name()}}, viewer_).body["state"], "ACTIVE");
    EXPECT_EQ(cancel({{"X-Kaname-Page", "1"}, {"Sec-Fetch-Site", "same-origin"}}).status, 200);
    (void)tokens_.issue("ann", auth::Role::User);
    EXPECT_EQ(got(client_.Get("/v1/session", {{"Cookie", cookie}})).status, 401);
}

TEST_F(SiteTest, ACodeOfGrpcLogsInOnce) {
    v1::MakeLoginCodeResponse made;
    ASSERT_TRUE(ApiTest::call(*admins_, &v1::Admin::Stub::MakeLoginCode, viewer_,
                              v1::MakeLoginCodeRequest(), made)
                    .ok());
    const auto log_in = [&] {
        return got(client_.Post("/v1/login", {{"X-Kaname-Page", "1"}},
                                json{{"code", made.code()}}.dump(), "application/json"));
    };

    EXPECT_GT(made.expires_s(), 0);
    EXPECT_EQ(log_in().body["role"], "viewer");
    EXPECT_EQ(log_in().status, 401);
    EXPECT_EQ(call("Admin/MakeLoginCode", json::object(), viewer_).status, 404);
}

TEST_F(SiteTest, WithoutAPageThereIsNoCode) {
    site_.stop();
    v1::MakeLoginCodeResponse none;

    const grpc::Status refused = ApiTest::call(*admins_, &v1::Admin::Stub::MakeLoginCode, viewer_,
                                               v1::MakeLoginCodeRequest(), none);

    EXPECT_EQ(refused.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
    EXPECT_EQ(refused.error_message(),
              "this server has no page: start it again with --http 127.0.0.1:0");
}

TEST_F(SiteTest, AWatchTellsWhatComes) {
    const v1::Job job = submit();
    std::thread worker([this] { compute_all(); });

    const std::vector<Event> all = events(watch(job), as(viewer_));
    worker.join();

    ASSERT_GT(all.size(), 3U);
    EXPECT_EQ(all.front().data["event"], "SUBMITTED");
    EXPECT_EQ(all.front().id, all.front().data["resume_token"]);
    EXPECT_EQ(all[all.size() - 2].data["event"], "JOB_ENDED");
    EXPECT_EQ(all.back().name, "end");

    httplib::Headers later = as(viewer_);
    later.emplace("Last-Event-ID", all.front().id);
    const std::vector<Event> rest = events(watch(job), later);
    EXPECT_EQ(rest.back().name, "end");
    // Without progress, which is told as it is when somebody asks.
    const auto lasting = [](const std::vector<Event>& events, std::size_t from) {
        std::vector<std::string> ids;
        for (; from < events.size(); ++from) {
            if (events[from].data.value("event", "") != "EVENT_UNSPECIFIED") {
                ids.push_back(events[from].id);
            }
        }
        return ids;
    };
    EXPECT_EQ(lasting(rest, 0), lasting(all, 1));
}

TEST_F(SiteTest, AStreamThatCannotBeginHasItsStatus) {
    EXPECT_EQ(
        get("/v1/events/Jobs/WatchJob?request=" + quoted({{"name", "jobs/" + worker_}}), viewer_)
            .status,
        404);
    EXPECT_EQ(get("/v1/events/Jobs/WatchJob?request=x", viewer_).status, 400);
    EXPECT_EQ(get("/v1/events/Jobs/WatchJob?name=x", viewer_).status, 400);
    EXPECT_EQ(get("/v1/events/Jobs/ListJobs", viewer_).status, 404);
}

TEST_F(SiteTest, ALogGoesOnBehindItsId) {
    const v1::Job job = submit();
    register_worker();
    const v1::ClaimResponse claimed = claim();
    const auto put = [&](const std::string& text) {
        v1::PutLogRequest request;
        request.set_worker_id(worker_);
        *request.add_refs() = claimed.tasks(0).ref();
        request.set_data(text);
        google::protobuf::Empty reply;
        EXPECT_TRUE(
            ApiTest::call(*workers_, &v1::Workers::Stub::PutLog, agent_, request, reply).ok());
    };
    put("first line\n");
    const std::string path = "/v1/events/Jobs/TailLogs?request=" +
                             quoted({{"job", job.name()}, {"label", claimed.tasks(0).label()}});

    const std::vector<Event> all = events(path, as(viewer_));
    const std::string whole = log_of(job, claimed.tasks(0).label());
    EXPECT_EQ(all.front().id, std::to_string(whole.size()));
    put("second line\n");
    httplib::Headers later = as(viewer_);
    later.emplace("Last-Event-ID", std::to_string(whole.size() - 3));
    const std::vector<Event> rest = events(path, later);

    EXPECT_EQ(rest.front().data["data"], "bmUKc2Vjb25kIGxpbmUK");  // "ne\nsecond line\n"
    EXPECT_EQ(rest.back().name, "end");
}

TEST_F(SiteTest, AStreamEndsWithItsToken) {
    const v1::Job job = submit();
    const std::string cookie = session(viewer_);
    const auto began = std::chrono::steady_clock::now();

    const std::vector<Event> all =
        events(watch(job), {{"Cookie", cookie}}, [this](const std::vector<Event>& so_far) {
            if (so_far.size() == 1) {
                (void)tokens_.issue("viewer", auth::Role::Viewer);  // in place of the old one
            }
            return false;
        });

    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(8));
    EXPECT_EQ(all.back().name, "error");
    EXPECT_EQ(all.back().data["code"], 16);
}

TEST_F(SiteTest, AStreamEndsWithItsServer) {
    const v1::Job job = submit();

    const std::vector<Event> all =
        events(watch(job), as(viewer_), [this](const std::vector<Event>& so_far) {
            if (so_far.size() == 1) {
                server_->drain();
            }
            return false;
        });

    EXPECT_EQ(all.back().name, "error");
    EXPECT_EQ(all.back().data["code"], 14);
}

TEST_F(SiteTest, TheOverviewTellsWhatChanges) {
    const v1::Job job = submit();
    std::size_t told = 0;

    const std::vector<Event> all =
        events("/v1/events/overview", as(viewer_), [&](const std::vector<Event>& so_far) {
            const auto jobs = std::ranges::count(so_far, "jobs", &Event::name);
            if (jobs == 1 && told == 0) {
                told = so_far.size();
                EXPECT_TRUE(call("Jobs/CancelJob", {{"name", job.name()}}, user_).status == 200);
            }
            return jobs == 2;
        });

    std::set<std::string> names;
    for (const Event& event : all) {
        names.insert(event.name);
    }
    EXPECT_EQ(names, (std::set<std::string>{"stats", "workers", "jobs", "campaigns"}));
    EXPECT_EQ(all.back().data["jobs"].size(), 1U);
    EXPECT_EQ(all.back().data["jobs"][0]["state"], "CANCELLED");
}

TEST_F(SiteTest, StreamsCountUnderTheirLimit) {
    std::vector<std::shared_ptr<void>> taken;
    for (int k = 0; k < kWaitingStreams.per_principal; ++k) {
        taken.push_back(server_->take_stream({"viewer", auth::Role::Viewer}, ""));
    }
    const v1::Job job = submit();

    EXPECT_EQ(get("/v1/events/overview", viewer_).status, 429);
    EXPECT_EQ(get(watch(job), viewer_).status, 429);
}

TEST_F(SiteTest, ASliceIsItsNumbers) {
    const v1::Job job = submit();
    compute_all();
    const auto slice = [&](json wanted) {
        wanted["dataset"] = "datasets/" + id_of(job);
        return client_.Post("/v1/slices", as(viewer_), wanted.dump(), "application/json");
    };

    const auto answer = slice(json::object());

    ASSERT_EQ(answer->status, 200) << answer->body;
    const std::size_t sources = compute_.packaged.size();
    EXPECT_EQ(answer->get_header_value("Kaname-Shape"), std::to_string(sources) + ",2,1,3");
    EXPECT_EQ(answer->get_header_value("Content-Length"), std::to_string(sources * 6 * 8));
    ASSERT_EQ(answer->body.size(), sources * 6 * 8);
    for (std::size_t k = 0; k < sources * 6; ++k) {
        double value = -1;
        std::memcpy(&value, answer->body.data() + k * 8, 8);
        EXPECT_EQ(value, static_cast<double>(k));
    }
    EXPECT_EQ(slice({{"sources", {{"start", 101}}}})->status, 400);
    EXPECT_EQ(slice({{"nothing", 1}})->status, 400);
}

TEST_F(SiteTest, AMapIsMadeOnceForAFile) {
    const v1::Job job = submit();
    const std::string path = "/v1/datasets/" + id_of(job);
    EXPECT_EQ(get(path + "/map", viewer_).status, 409);
    compute_all();

    const Got map = get(path + "/map", viewer_);

    EXPECT_EQ(map.status, 200) << map.text;
    EXPECT_EQ(map.body["stations"][0]["id"], "A");
    EXPECT_EQ(map.body["complete"], true);
    EXPECT_EQ(map.body["sha256"].get<std::string>().size(), 64U);
    EXPECT_EQ(get(path + "/map", viewer_).text, map.text);
    EXPECT_EQ(describer_.n_calls, 1);
    EXPECT_EQ(get(path + "/solves?source=a,b", viewer_).body["of"], "solves");
    EXPECT_EQ(describer_.last[1], "--dataset");
    EXPECT_EQ(describer_.last[3], "--source=a");
    EXPECT_EQ(describer_.last[4], "--source=b");
    EXPECT_EQ(get("/v1/jobs/" + id_of(job) + "/mesh", viewer_).body["of"], "mesh-show");
    EXPECT_EQ(get(path + "/nothing", viewer_).status, 404);
    EXPECT_EQ(get("/v1/datasets/x/map", viewer_).status, 400);
    EXPECT_EQ(get("/v1/datasets/" + worker_ + "/map", viewer_).status, 404);
    EXPECT_EQ(get(path + "/map", "").status, 401);
}

TEST_F(SiteTest, EveryAnswerIsForThePageAlone) {
    for (const char* path : {"/", "/v1/session", "/nothing"}) {
        const auto answer = client_.Get(path);
        EXPECT_NE(answer->get_header_value("Content-Security-Policy").find("default-src 'self'"),
                  std::string::npos);
        EXPECT_EQ(answer->get_header_value("X-Content-Type-Options"), "nosniff");
        EXPECT_EQ(answer->get_header_value("Referrer-Policy"), "no-referrer");
    }
    EXPECT_EQ(got(client_.Get("/%2e%2e/sessions")).status, 404);
}

}  // namespace
}  // namespace kaname::service::site_test
