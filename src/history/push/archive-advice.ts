/** Git's message about a push that lacks the base of its objects. */
const LEFT_OUT = /unresolved delta|did not receive expected object/
const ADVICE = 'This builds on revisions that are in an archive: rebase it onto the served branch'

/**
 * The remedy for a push to a repository that begins after an archive. Git assumes that the server has
 * everything before the served branch, so a push based on that leaves it out, and fails before any hook.
 */
export function archiveAdvice(shown: string): readonly string[] {
  return LEFT_OUT.test(shown) ? [ADVICE] : []
}
