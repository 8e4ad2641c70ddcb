/**
 * How forges and registries begin the tokens that they issue: GitHub, GitLab (since 14.5), Bitbucket
 * and Atlassian, Azure DevOps and others that hand out JSON web tokens, Tuleap, Sourcegraph, Heroku, npm, PyPI,
 * Hugging Face, Docker, and this service.
 */
const PREFIX =
  '(?:gh[a-z]_|github_pat_|GR1348941|gl(?:pat|oas|dt|rtr?|cbt|ptt|ft|imt|agent|soat|ffct|wt)-|' +
  'AT(?:BB|CTT|ATT)|BBDC-|eyJ|tlp-k\\d+-|sgp_|HRKU-|npm_|pypi-|hf_|dckr_[a-z]+_|cairn(?:invite)?_)'
const PREFIXED = new RegExp(`^${PREFIX}`)
/** The same in the middle of a text, where a token is told from a word by its length. */
const IN_TEXT = new RegExp(`(?<![A-Za-z0-9_-])${PREFIX}[A-Za-z0-9_=.~-]{12,}`, 'g')
/**
 * Forges without a prefix issue random runs: 20 characters of the URL-safe alphabet (GitLab before
 * 14.5), 32 to 84 letters and digits (Azure DevOps), 40 hexadecimal digits (Gitea, Gogs, GitHub
 * before 2021), and base64 (Bitbucket, Gerrit).
 */
const MIN_RANDOM = 20
const LETTERS_AND_DIGITS = /^(?=[^0-9]*[0-9])[A-Za-z0-9_]+$/
const RANDOM_ALPHABET = /^[A-Za-z0-9_~.+/=-]+$/
const BETWEEN_WORDS = /[_~.+/=-]/
/** A piece of a name that people make: one word or number, or a word with a number behind it. */
const WORD = /^(?:[A-Z]?[a-z]+|[A-Z]+)?\d*$/

/** Whether a user name is a token of a git server, which takes one in the place of a name. */
export function isForgeToken(name: string): boolean {
  if (PREFIXED.test(name)) return true
  const text = decoded(name)
  if (text.length < MIN_RANDOM || !RANDOM_ALPHABET.test(text)) return false
  if (LETTERS_AND_DIGITS.test(text)) return true
  return text.split(BETWEEN_WORDS).some((piece) => !WORD.test(piece))
}

/** A text with every token in it replaced that says by its beginning that it is one. */
export function withoutForgeTokens(text: string, by: string): string {
  return text.replaceAll(IN_TEXT, by)
}

/** A name as the server gets it: addresses escape what base64 has beside letters and digits. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch (error) {
    if (!(error instanceof URIError)) throw error
    return name
  }
}
