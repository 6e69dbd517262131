{{/* Rules of NetworkPolicies. */}}

{{/* An egress rule: (dict "to" [peers] "ports" [numbers] "protocols" ["TCP"]); no peers means everywhere. */}}
{{- define "svc.egress" -}}
{{- $protocols := .protocols | default (list "TCP") -}}
- ports:
    {{- range $port := .ports }}
    {{- range $protocols }}
    - { protocol: {{ . }}, port: {{ int $port }} }
    {{- end }}
    {{- end }}
  {{- with .to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{- define "svc.egress.dns" -}}
{{- include "svc.egress" (dict "to" .Values.networkPolicy.dns.to "ports" .Values.networkPolicy.dns.ports "protocols" (list "UDP" "TCP")) }}
{{- end }}

{{/* Egress to the trace collector, if there is one. */}}
{{- define "svc.egress.tracing" -}}
{{- with .Values.tracing.otlpEndpoint }}
{{- $url := urlParse . }}
{{- $port := regexFind ":[0-9]+$" $url.host | trimPrefix ":" | default (ternary "443" "80" (eq $url.scheme "https")) }}
{{ include "svc.egress" (dict "to" $.Values.networkPolicy.tracing.to "ports" ($.Values.networkPolicy.tracing.ports | default (list $port))) }}
{{- end }}
{{- end }}

{{/* The head of a NetworkPolicy: (dict "root" $ "component" "node" "annotations" {…}). */}}
{{- define "svc.policy" -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "svc.fullname" .root }}-{{ .component }}
  namespace: {{ .root.Release.Namespace | quote }}
  labels:
    {{- include "svc.labels" . | nindent 4 }}
  {{- with .annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  podSelector:
    matchLabels:
      {{- include "svc.selector" . | nindent 6 }}
{{- end }}

{{/* The pods of a component of this release, as a NetworkPolicy peer. */}}
{{- define "svc.peer" -}}
- podSelector:
    matchLabels:
      {{- include "svc.selector" . | nindent 6 }}
{{- end }}
