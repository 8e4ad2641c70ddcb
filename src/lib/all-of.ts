/** The results of some promises, by position. */
type Answers<Pending extends readonly unknown[]> = {
  -readonly [Place in keyof Pending]: Awaited<Pending[Place]>
}

/**
 * Waits until all promises are settled, so that nothing continues after a failure.
 *
 * @throws the first rejection.
 */
export async function allOf<const Pending extends readonly unknown[]>(
  pending: Pending,
): Promise<Answers<Pending>> {
  await Promise.allSettled(pending)
  return Promise.all(pending)
}
