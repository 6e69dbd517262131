{{/* Names and labels. */}}

{{- define "svc.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 40 | trimSuffix "-" -}}
{{- end }}

{{/* Up to 40 characters, so that names with a suffix stay valid. */}}
{{- define "svc.fullname" -}}
{{- $name := include "svc.name" . -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end }}

{{/* The ScaledObject of a Deployment: KEDA appends its name to keda-hpa- and uses that as a label of at most 63 characters. */}}
{{- define "svc.scaledObject" -}}
{{- if le (len .) 54 -}}{{ . }}{{- else -}}{{ printf "%s-%s" (trunc 43 . | trimSuffix "-") (sha256sum . | trunc 10) }}{{- end -}}
{{- end }}

{{/* The selector labels of a component, which never change: (dict "root" $ "component" "controller" "pool" ""). */}}
{{- define "svc.selector" -}}
app.kubernetes.io/name: {{ include "svc.name" .root | quote }}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .component }}
{{- with .pool }}
svc.dev/pool: {{ . | quote }}
{{- end }}
{{- end }}

{{/* All labels of a component's objects; takes the arguments of svc.selector. */}}
{{- define "svc.labels" -}}
{{ include "svc.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: {{ include "svc.name" .root | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service | quote }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "svc.controller.serviceAccount" -}}
{{- with .Values.controller.serviceAccount -}}
{{- .name | default (ternary (printf "%s-controller" (include "svc.fullname" $)) "default" .create) -}}
{{- end -}}
{{- end }}

{{- define "svc.nodes.serviceAccount" -}}
{{- with .Values.nodes.serviceAccount -}}
{{- .name | default (ternary (printf "%s-node" (include "svc.fullname" $)) "default" .create) -}}
{{- end -}}
{{- end }}

{{/* The address (host:port) at which nodes reach their controller. */}}
{{- define "svc.controllerAddress" -}}
{{- if .Values.nodes.controller -}}
{{- .Values.nodes.controller -}}
{{- else -}}
{{- printf "%s-controller.%s.svc:%d" (include "svc.fullname" .) .Release.Namespace (int .Values.controller.service.grpcPort) -}}
{{- end -}}
{{- end }}

{{/* Labels of pods, without those that a new chart version alone would change: that would restart all pods. */}}
{{- define "svc.podLabels" -}}
{{ include "svc.selector" . }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}
