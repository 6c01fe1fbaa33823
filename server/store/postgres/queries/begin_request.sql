-- SPDX-License-Identifier: BSD-3-Clause
-- A concurrent repetition waits here for the first one to commit.
insert into request (principal, request_id, body_sha256, job_id)
values ($1, $2, $3, $4)
on conflict do nothing
returning 1
