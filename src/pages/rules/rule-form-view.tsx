import { DOORS_OF_PEOPLE, DOORS_WITHOUT_CALLER } from '../../core/change-origin.ts'
import { Credentials, PLAN_FACTS } from '../../configuration/gate/rules/rules-schema.ts'
import { ActionForm, CheckBox, Field, SelectField } from '../kit/forms.tsx'
import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import { ProblemList } from '../kit/lists.tsx'
import type { Problem } from '../../core/problem.ts'
import { PageHead } from '../kit/page-head.tsx'
import { type RuleValues, rowsOf } from './rule-form.ts'

export interface RuleFormViewProps {
  readonly frame: PageFrame
  /** The name of the rule in the text; null for a new one. */
  readonly rule: string | null
  readonly values: RuleValues
  /** The reasons why the rule cannot be taken as it is. */
  readonly problems: readonly Problem[]
  /** The text that the rule is or comes in, with what is not saved of it yet. */
  readonly draft: { readonly text: string; readonly version: string; readonly reason: string }
}

const EFFECTS = [
  ['need', 'Needs approvals or a reason'],
  ['deny', 'Is refused'],
  ['warn', 'Gets a warning'],
] as const
const PLAN_LABELS: Readonly<Record<(typeof PLAN_FACTS)[number], string>> = {
  starts: 'Pipelines that it starts',
  stops: 'Pipelines that it stops',
  gains: 'Rights that it gives',
  removes: 'Entities that it removes',
  jobsRunning: 'Running jobs that it affects',
  willNotRun: 'Parts that will not run',
}
const KINDS = ['added', 'changed', 'removed']
const PEOPLE = 'role/NAME, user/NAME, admins, or admins of the group'
const DOORS = [...DOORS_OF_PEOPLE, ...DOORS_WITHOUT_CALLER]

/** The form of one rule. Its preview is the page of rules with the changed text, which saves it. */
export function RuleFormView({ frame, rule, values, problems, draft }: RuleFormViewProps) {
  const { links } = frame
  const title = rule === null ? 'New rule' : `Rule ${rule}`
  return (
    <PageLayout frame={frame} title={title}>
      <PageHead title={title} about="Enter several values of a field on separate lines." />
      <ProblemList
        title="The rule is not valid"
        problems={problems.map(({ message }) => ({ message }))}
        isAlert
      />
      <ActionForm
        action={links.ruleForm()}
        title="Rule"
        buttons={
          <>
            <button class="primary" name="do" value="preview">
              Preview
            </button>
            <button name="do" value="back">
              Back to rules
            </button>
          </>
        }
      >
        {Object.entries(draft).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <input type="hidden" name="rule" value={rule ?? ''} />
        <Line values={values} name="name" label="Name" />
        <fieldset class="fields">
          <legend>Applies to a change</legend>
          <About values={values} />
          <Checks values={values} name="door" label="Made through" options={DOORS} />
          <Checks
            values={values}
            name="credential"
            label="Authenticated by"
            options={Credentials.options}
          />
          <Lines values={values} name="user" label="By the users" />
          <Lines values={values} name="role" label="By users with the roles" />
          {PLAN_FACTS.map((fact) => (
            <Line values={values} name={`plan-${fact}`} label={PLAN_LABELS[fact]} hint=">20" />
          ))}
          <Lines
            values={values}
            name="unless"
            label="Except where it only changes"
            hint="comment, layout, or paths"
          />
        </fieldset>
        <SelectField
          label="The change"
          name="effect"
          options={EFFECTS}
          chosen={values.get('effect')?.[0]}
        />
        {rowsOf(values, 'approvals').map((n) => (
          <fieldset class="fields">
            <legend>{`Approvals (${n + 1})`}</legend>
            <Line values={values} name={`approvals.${n}`} label="Number of approvals" hint="1" />
            <Line values={values} name={`of.${n}`} label="From" hint={PEOPLE} />
            <About values={values} prefix="when-" row={`.${n}`} />
          </fieldset>
        ))}
        <Checks
          values={values}
          name="not"
          label="Approvals that do not count"
          options={['author', 'contributor']}
        />
        <Flag values={values} name="reason-needed" label="A reason is required" />
        <Lines values={values} name="except" label="Does not apply to" hint={PEOPLE} />
        <Lines values={values} name="override" label="Can be overridden by" hint={PEOPLE} />
        <Flag values={values} name="override-reason" label="An override needs a reason" />
        {rowsOf(values, 'zone').map((n) => (
          <fieldset class="fields">
            <legend>{`Time when it applies (${n + 1})`}</legend>
            <Line values={values} name={`from.${n}`} label="From" hint="2026-12-20 18:00" />
            <Line values={values} name={`to.${n}`} label="To" hint="2027-01-04" />
            <Lines
              values={values}
              name={`weekly.${n}`}
              label="Or every week"
              hint="fri 16:00 - mon 07:00"
            />
            <Line values={values} name={`zone.${n}`} label="Time zone" hint="Europe/Berlin" />
          </fieldset>
        ))}
        <Line values={values} name="message" label="Message to people whose changes it stops" />
      </ActionForm>
    </PageLayout>
  )
}

interface FieldOfRule {
  readonly values: RuleValues
  readonly name: string
  readonly label: string
  readonly hint?: string
}

function About({
  values,
  prefix = '',
  row = '',
}: {
  readonly values: RuleValues
  readonly prefix?: string
  readonly row?: string
}) {
  const named = (key: string) => `${prefix}${key}${row}`
  return (
    <>
      <Lines values={values} name={named('entity')} label="To the entities" hint="group/payments" />
      <Lines values={values} name={named('path')} label="In the parts" hint="stage deploy" />
      <Checks values={values} name={named('change')} label="When they are" options={KINDS} />
    </>
  )
}

function Line({ values, name, label, hint }: FieldOfRule) {
  const value = values.get(name)?.[0] ?? ''
  return (
    <Field
      label={label}
      name={name}
      value={value}
      {...(hint === undefined ? {} : { placeholder: hint })}
    />
  )
}

function Lines({ values, name, label, hint }: FieldOfRule) {
  const lines = values.get(name) ?? []
  return (
    <label class="field">
      {label}
      <textarea name={name} rows={Math.max(1, lines.length)} placeholder={hint} spellcheck={false}>
        {lines.length === 0 ? '' : `\n${lines.join('\n')}`}
      </textarea>
    </label>
  )
}

function Checks({
  values,
  name,
  label,
  options,
}: FieldOfRule & { readonly options: readonly string[] }) {
  const chosen = values.get(name) ?? []
  return (
    <fieldset>
      <legend>{label}</legend>
      <div class="row">
        {options.map((option) => (
          <CheckBox name={name} value={option} isChecked={chosen.includes(option)} label={option} />
        ))}
      </div>
    </fieldset>
  )
}

function Flag({ values, name, label }: FieldOfRule) {
  return <CheckBox name={name} isChecked={values.get(name)?.[0] === '1'} label={label} />
}
