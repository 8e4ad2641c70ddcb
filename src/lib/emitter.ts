/** Calls listeners, in the order in which they came. */
export class Emitter<Args extends readonly unknown[] = []> {
  readonly #listeners = new Set<(...args: Args) => void>()

  /** Calls the listener from now on. Returns how to stop that. */
  on(listener: (...args: Args) => void): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  /** What a listener throws goes to the caller. */
  emit(...args: Args): void {
    for (const listener of this.#listeners) listener(...args)
  }
}
