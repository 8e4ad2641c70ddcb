/** An answer that came to its end. */
export interface WholeAnswer {
  readonly ok: boolean
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Asks for an address; null when no answer came, or its line was cut in the middle of it. */
export async function askFor(address: string): Promise<WholeAnswer | null> {
  try {
    const answer = await fetch(address)
    const { ok, status, headers } = answer
    return { ok, status, headers, text: await answer.text() }
  } catch {
    return null
  }
}
