-- SPDX-License-Identifier: BSD-3-Clause
-- What is needed comes after what needs it.
select content_key from job_item
where job_id = $1 and state = 'live'
order by level desc, content_key
