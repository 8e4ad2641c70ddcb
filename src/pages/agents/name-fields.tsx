import type { AgentNames } from '../../document/agents/agent-edits.ts'
import { CheckBox, Field, ProblemAtField } from '../kit/forms.tsx'
import type { FieldProblems } from '../runs/refusal.ts'

const NONE: FieldProblems = new Map()

interface NameFieldsProps {
  readonly names: AgentNames
  /** The environments to choose from. */
  readonly environments: readonly string[]
  readonly problems?: FieldProblems
}

/** The fields for resources, and for environments of the configuration. */
export function NameFields({ names, environments, problems = NONE }: NameFieldsProps) {
  return (
    <div class="name-fields">
      <Field
        label="Resources, separated by commas"
        id="resources"
        name="resources"
        value={names.resources.join(', ')}
        placeholder="linux, docker"
        problem={problems.get('resources')}
      />
      {environments.length > 0 && (
        <fieldset>
          <legend>Environments</legend>
          <ProblemAtField name="environments" problem={problems.get('environments')} />
          {environments.map((name) => (
            <CheckBox
              name="environments"
              value={name}
              isChecked={names.environments.includes(name)}
              label={name}
            />
          ))}
        </fieldset>
      )}
    </div>
  )
}
