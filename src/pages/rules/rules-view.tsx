import type { ShownRule, ShownRules } from '../../configuration/gate/shown-rules.ts'
import type { Replay } from '../../configuration/gate/replay/replay-rules.ts'
import type { Problem } from '../../core/problem.ts'
import { EnterButton } from '../kit/buttons.tsx'
import { countOf } from '../kit/words/count.ts'
import { ActionForm, Field, FilterForm } from '../kit/forms.tsx'
import { type OpenPageWithMessage, type PageFrame, PageLayout } from '../kit/layout.tsx'
import { ProblemList, someOf } from '../kit/lists.tsx'
import { FlashCard } from '../kit/notice.tsx'
import { PageHead } from '../kit/page-head.tsx'
import { ReplayView } from './replay-view.tsx'
import { Table, type TableColumn } from '../kit/table.tsx'

interface RulesViewProps extends OpenPageWithMessage {
  readonly shown: ShownRules
  /** The text of the form. */
  readonly draft: { readonly text: string; readonly version: string; readonly reason: string }
  /** The reasons why the text of the form was not saved. */
  readonly problems: readonly Problem[]
  /** The changes of the past that the text of the form would have held up; null where that was not asked. */
  readonly replay: Replay | null
  /** Whether the rules are those of a text that is not saved. */
  readonly isDraft: boolean
}

const COLUMNS: readonly TableColumn[] = [
  { label: 'Rule', isHead: true },
  { label: 'In words' },
  { label: 'Approvers' },
  { label: 'Edit', isPlain: true },
]
const FORM = 'rules-text'
const MAX_NAMES = 12
/** A longer name breaks at its hyphens, as a phone has no room for it. */
const MAX_UNBROKEN = 20
const MAX_REASON = 4_000
const ROWS = 24
/** Stands in the field as long as there are no rules. */
const EXAMPLE = [
  'version: 1',
  'rules:',
  '  - name: two-pairs-of-eyes',
  '    match: { entity: pipeline in group/payments }',
  '    need: [{ approvals: 1, of: admins of the group }]',
  '    not: [author]',
].join('\n')

/** The rules about changes: each in words, whose approvals it asks for, and the text of all. */
export function RulesView(props: RulesViewProps) {
  const { frame, flash, shown, draft, problems, replay, now, isDraft } = props
  const { rules } = shown
  return (
    <PageLayout
      frame={{ ...frame, problems: frame.problems.filter(({ kind }) => kind !== 'rules') }}
      title="Rules"
      description="Who may change what, and whose approval it takes."
      wide
      styles={['rules.css']}
    >
      {flash && <FlashCard flash={flash} />}
      <PageHead title="Rules" about={aboutOf(shown)}>
        <FilterForm
          action={frame.links.rules()}
          label="Rules of an entity"
          value={shown.entity ?? ''}
          placeholder="pipeline/NAME"
          hint="The rules that can apply to a change to this entity"
          isEmpty={rules.length === 0 && shown.entity === null}
        />
      </PageHead>
      {isDraft && (
        <p class="card" role="status">
          These rules are not saved yet.
        </p>
      )}
      <ProblemList title="The rules are not saved" problems={problems} isAlert />
      {replay !== null && <ReplayView frame={frame} replay={replay} now={now} />}
      {problems.length === 0 && (
        <ProblemList title="These rules need attention" problems={shown.problems} />
      )}
      <EnterButton form={FORM} />
      {rules.length > 0 && (
        <Table
          label="Rules"
          columns={COLUMNS}
          rows={rules.map((rule) => ({
            cells: [...cellsOf(rule, shown), <RuleButtons frame={frame} name={rule.name} />],
          }))}
        />
      )}
      <ActionForm
        action={frame.links.rules()}
        id={FORM}
        title="Text"
        about={
          <>
            The file <code>cairn-rules.yaml</code> in the repository. A change to it is judged by
            the current rules.
          </>
        }
        buttons={
          <>
            <button class="primary">Save rules</button>
            <button formaction={frame.links.rulesReplay()}>Try on history</button>
            <button formaction={frame.links.ruleForm()} name="edit" value="">
              New rule
            </button>
          </>
        }
      >
        <input type="hidden" name="version" value={draft.version} />
        <label class="field rules-text">
          Rules as YAML
          <textarea
            class="code"
            name="text"
            rows={draft.text === '' ? EXAMPLE.split('\n').length + 1 : ROWS}
            placeholder={EXAMPLE}
            wrap="off"
            spellcheck={false}
          >
            {`\n${draft.text}`}
          </textarea>
        </label>
        <Field label="Reason" name="reason" value={draft.reason} maxlength={MAX_REASON} />
      </ActionForm>
    </PageLayout>
  )
}

/** The buttons send the text too: several edits are saved at once. */
function RuleButtons({ frame, name }: { readonly frame: PageFrame; readonly name: string }) {
  const actions = [
    ['edit', 'Edit'],
    ['raise', '↑', 'Move up'],
    ['lower', '↓', 'Move down'],
    ['remove', 'Remove'],
  ] as const
  return (
    <span class="nowrap">
      {actions.map(([action, label, word = label]) => (
        <button
          class="quiet"
          form={FORM}
          formaction={frame.links.ruleForm()}
          name={action}
          value={name}
          aria-label={`${word}: ${name}`}
        >
          {label}
        </button>
      ))}
    </span>
  )
}

function aboutOf({ version, rules, entity }: ShownRules): string {
  if (version === null && rules.length === 0) {
    return 'There are no rules: everyone can save the changes that they have permission to make.'
  }
  const count = countOf(rules.length, 'rule')
  return entity === null
    ? `${count} about changes. All that match a change apply.`
    : `${count} can apply to a change to ${entity}, depending on who makes it and how.`
}

function cellsOf(rule: ShownRule, { knowsEveryone }: ShownRules) {
  const { name, sentences, message, asked } = rule
  return [
    <code class={name.length > MAX_UNBROKEN ? undefined : 'nowrap'}>{name}</code>,
    <>
      {sentences.join(' ')}
      {message !== null && <p class="muted">{message}</p>}
    </>,
    asked.length === 0 ? (
      <span class="muted">No approval needed</span>
    ) : (
      <ul class="rows">
        {asked.map(({ whose, names }) => (
          <li>
            {`${whose}: ${names.length === 0 ? 'no known user' : someOf(names, MAX_NAMES)}`}
            {!knowsEveryone && ', and users of the directory or identity provider'}
          </li>
        ))}
      </ul>
    ),
  ]
}
