const MASK = '********'

interface Range {
  readonly start: number
  readonly end: number
}

/** Hides secret texts. A secret of several lines is hidden line by line. */
export class SecretMask {
  readonly #secrets: readonly string[]
  readonly #longest: number

  constructor(secrets: readonly string[]) {
    const lines = secrets.flatMap((secret) => secret.split(/[\r\n]+/))
    this.#secrets = [...new Set(lines.filter((line) => line.trim() !== ''))]
    this.#longest = Math.max(1, ...this.#secrets.map((secret) => secret.length))
  }

  /** The text with every secret replaced; overlapping secrets are replaced together. */
  hide(text: string): string {
    let shown = ''
    let from = 0
    for (const { start, end } of this.#findSecrets(text)) {
      shown += text.slice(from, start) + MASK
      from = end
    }
    return shown + text.slice(from)
  }

  /**
   * The length of a text that can be shown while more of it may follow: no secret starts before
   * that position and ends after it.
   */
  safeLength(text: string): number {
    const cut = Math.max(0, text.length - this.#longest + 1)
    const across = this.#findSecrets(text).find(({ start, end }) => start < cut && cut < end)
    const safe = across?.start ?? cut
    return isFirstHalf(text.charCodeAt(safe - 1)) ? safe - 1 : safe
  }

  #findSecrets(text: string): Range[] {
    const found = this.#secrets.flatMap((secret) => findAll(text, secret))
    const merged: Range[] = []
    for (const range of found.toSorted((one, other) => one.start - other.start)) {
      const last = merged.at(-1)
      if (!last || range.start >= last.end) merged.push(range)
      else merged.splice(-1, 1, { start: last.start, end: Math.max(last.end, range.end) })
    }
    return merged
  }
}

function findAll(text: string, secret: string): Range[] {
  const found: Range[] = []
  for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + 1)) {
    found.push({ start: at, end: at + secret.length })
  }
  return found
}

/** Whether cutting after this unit would split a character outside the basic plane. */
function isFirstHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
