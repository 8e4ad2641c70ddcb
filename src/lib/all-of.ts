/** One answer for each of some promises. */
type Answers<Pending extends readonly unknown[]> = {
  -readonly [Place in keyof Pending]: Awaited<Pending[Place]>
}

/**
 * Waits until all of them have ended, so that nothing goes on behind a failure.
 *
 * @throws what the first of them that failed has failed with.
 */
export async function allOf<const Pending extends readonly unknown[]>(
  pending: Pending,
): Promise<Answers<Pending>> {
  await Promise.allSettled(pending)
  return Promise.all(pending)
}
