-- SPDX-License-Identifier: BSD-3-Clause
delete from checkpoint_file
