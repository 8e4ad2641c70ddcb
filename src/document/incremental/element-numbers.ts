/** Numbers for the elements of what is read in parts: no two parts have the same, whatever document they are in. */
export class ElementNumbers {
  #next = 0

  /** The first of so many numbers. */
  take(count: number): number {
    const first = this.#next
    this.#next += count
    return first
  }
}
