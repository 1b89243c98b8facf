/* SPDX-License-Identifier: MIT */
/* The program of which the examples make symbols. */
int main(void)
{
	return 0;
}
