-- SPDX-License-Identifier: BSD-3-Clause
insert into job_file (job_id, sha256)
select distinct $1, file from unnest($2::text[]) as f (file)
