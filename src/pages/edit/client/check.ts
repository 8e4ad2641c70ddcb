/** A problem that the server found in the text. */
export interface FoundProblem {
  /** Its line in the document, where it has one. */
  readonly line?: number
  /** Its line in the edited text; null when it is in another part of the document. */
  readonly typedLine: number | null
  readonly message: string
}

/** The server's answer about a text. */
export interface Check {
  readonly problems: readonly FoundProblem[]
  readonly changes: number | null
}

/** How long typing has to pause before the server is asked, in milliseconds. */
const REST_MS = 600

interface CheckerOptions {
  readonly form: HTMLFormElement
  /** The text as it is now. */
  readonly text: () => string
  readonly show: (check: Check) => void
}

/** Has the server check the typed text with the same reader as a save. */
export class Checker {
  readonly #options: CheckerOptions
  #timer = 0
  #asking: AbortController | null = null

  constructor(options: CheckerOptions) {
    this.#options = options
  }

  /** Schedules a check for the next pause in typing. */
  ask(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#send().catch(reportError)
    }, REST_MS)
  }

  async #send(): Promise<void> {
    const { form, text, show } = this.#options
    const address = form.dataset['check']
    if (address === undefined) return
    this.#asking?.abort()
    const asking = new AbortController()
    this.#asking = asking
    try {
      const body = new URLSearchParams()
      for (const [name, value] of new FormData(form)) {
        if (typeof value === 'string') body.append(name, value)
      }
      body.set('xml', text())
      const response = await fetch(address, { method: 'POST', body, signal: asking.signal })
      if (!response.ok) return
      const check: Check = await response.json()
      show(check)
    } catch (error) {
      if (!isExpected(error)) throw error
    }
  }
}

/**
 * Whether a newer request replaced this one or the server is unreachable; a save reports the
 * latter.
 */
function isExpected(error: unknown): boolean {
  return (
    error instanceof TypeError || (error instanceof DOMException && error.name === 'AbortError')
  )
}
