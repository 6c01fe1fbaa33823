-- SPDX-License-Identifier: BSD-3-Clause
-- As file_in_use, of all files at once, and those of results that no job has now: who wants the same
-- again gets them.
select sha256 from job_file
union select sha256 from campaign_file
union select sha256 from job_item where sha256 <> ''
union select sha256 from artifact
union select f.sha256 from task_file f join task t using (content_key)
union select sha256 from result_upload where put_at > store_now() - interval '2 days'
order by 1
