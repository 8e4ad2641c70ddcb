/** Shortcuts that a script handles; `on` selects what they act on, without which they are left out. */
interface ShortcutGroup {
  readonly title: string
  readonly on: string
  readonly shortcuts: readonly (readonly [keys: readonly string[], what: string])[]
}

const GROUPS: readonly ShortcutGroup[] = [
  {
    title: 'Every page',
    on: 'body',
    shortcuts: [
      [['/', 'Ctrl K'], 'search pipelines, revisions, pages and actions'],
      [['g', 'p'], 'go to pipelines (a agents, h history, c current config, u users, l audit)'],
      [['?'], 'show these keys'],
      [['Esc'], 'close what is open'],
    ],
  },
  {
    title: 'List of revisions',
    on: 'tr.revision',
    shortcuts: [
      [['j', 'k'], 'next and previous revision'],
      [['a', 'b'], 'mark the revision as A or B'],
      [['c'], 'compare A with B'],
      [['Enter'], 'show what the revision changed'],
    ],
  },
  {
    title: 'List',
    on: '.row-link',
    shortcuts: [
      [['j', 'k'], 'next and previous row'],
      [['Enter'], 'open the row'],
      [['x'], 'select the row'],
      [['f'], 'filter the list'],
    ],
  },
  {
    title: 'Changes',
    on: '#step',
    shortcuts: [[['n', 'p'], 'next and previous change']],
  },
]

/**
 * The keyboard shortcuts. Without scripts it is shown when the address ends in `#keys`. A script
 * removes the groups that have nothing to act on, and adds the shortcuts of the page's own links
 * and buttons, from `aria-keyshortcuts`.
 */
export function Keys() {
  return (
    <dialog id="keys" class="keys card" aria-labelledby="keys-title">
      <h2 id="keys-title">Keyboard shortcuts</h2>
      <table aria-labelledby="keys-title">
        {GROUPS.map(({ title, on, shortcuts }) => (
          <tbody data-on={on}>
            <tr>
              <th colspan={2} scope="rowgroup">
                {title}
              </th>
            </tr>
            {shortcuts.map(([keys, what]) => (
              <tr>
                <td>
                  {keys.map((key) => (
                    <kbd>{key}</kbd>
                  ))}
                </td>
                <td>{what}</td>
              </tr>
            ))}
          </tbody>
        ))}
      </table>
      <p>
        <a class="close" href="#content">
          Close
        </a>
      </p>
    </dialog>
  )
}
