const KEYS: readonly (readonly [string, readonly string[], string])[] = [
  ['Everywhere', ['/'], 'search the changes'],
  ['Everywhere', ['?'], 'show these keys; Escape hides them'],
  ['History', ['j', 'k'], 'next and previous revision'],
  ['History', ['a', 'b'], 'mark the revision as A or B'],
  ['History', ['c'], 'compare A with B'],
  ['History', ['Enter'], 'show what the revision changed'],
  ['Compare', ['n', 'p'], 'next and previous change'],
]

/** The keyboard shortcuts of the pages. Shown when the address ends in `#keys`. */
export function Keys() {
  return (
    <section id="keys" class="keys card" aria-labelledby="keys-title" tabindex={-1}>
      <h2 id="keys-title">Keys</h2>
      <table>
        <tbody>
          {KEYS.map(([where, keys, what]) => (
            <tr>
              <td class="muted">{where}</td>
              <td>
                {keys.map((key) => (
                  <kbd>{key}</kbd>
                ))}
              </td>
              <td>{what}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        <a href="#content">Close</a>
      </p>
    </section>
  )
}
