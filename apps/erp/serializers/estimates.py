"""What estimates and the lines of a quote look like, for the document."""

from rest_framework import serializers


class TermSerializer(serializers.Serializer):
    """One part of a cost: so many units at a price, times a factor."""

    name = serializers.CharField()
    quantity = serializers.FloatField(allow_null=True)
    unit = serializers.CharField()
    price = serializers.FloatField(allow_null=True, help_text="In the bureau's currency.")
    factor = serializers.FloatField()
    amount = serializers.FloatField(allow_null=True, help_text="Not rounded.")
    reason = serializers.CharField(allow_null=True, help_text="Why there is no amount.")
    source = serializers.CharField(  # type: ignore[assignment]
        allow_null=True, help_text="URI of what has the price."
    )


class CostSerializer(serializers.Serializer):
    """An amount in the order's currency; null where a term has none."""

    amount = serializers.FloatField(allow_null=True)
    currency = serializers.CharField()


class ConversionSerializer(serializers.Serializer):
    """What the sum of the terms was multiplied by."""

    def get_fields(self) -> dict[str, serializers.Field]:
        # The first is no Python name.
        return {
            "from": serializers.CharField(),
            "to": serializers.CharField(),
            "factor": serializers.FloatField(allow_null=True),
            "reason": serializers.CharField(allow_null=True),
        }


class PieceEstimateSerializer(serializers.Serializer):
    """What one piece takes and costs."""

    print_time = serializers.FloatField(allow_null=True)
    material = serializers.FloatField(allow_null=True)
    cost = CostSerializer()


class SlicedWithSerializer(serializers.Serializer):
    """What a print time comes from."""

    config = serializers.CharField()
    layer_height = serializers.FloatField(allow_null=True, help_text="mm.")
    presets = serializers.DictField(
        child=serializers.CharField(), allow_null=True, help_text="Names, by kind."
    )
    time_factor = serializers.FloatField(
        help_text="The printer type's, by which the engine's time was multiplied."
    )


class EstimatesSerializer(serializers.Serializer):
    """What all pieces of a line item take and cost: s, cm3 without supports, money."""

    print_time = serializers.FloatField(allow_null=True)
    material = serializers.FloatField(allow_null=True)
    cost = CostSerializer()
    per_piece = PieceEstimateSerializer()
    lead_time = serializers.FloatField(allow_null=True)
    lead_time_reason = serializers.CharField(allow_null=True)
    terms = TermSerializer(many=True)
    conversion = ConversionSerializer(allow_null=True)
    sliced_with = SlicedWithSerializer(allow_null=True, required=False)


class LineMaterialsSerializer(serializers.Serializer):
    """URIs of what a part and its supports are made of."""

    base = serializers.CharField(allow_null=True)
    support = serializers.CharField(allow_null=True)


class LineSerializer(serializers.Serializer):
    """What is offered of a line item; `line_item` is null for the order's own shipping."""

    line_item = serializers.CharField(allow_null=True)
    name = serializers.CharField()
    quantity = serializers.IntegerField()
    model = serializers.CharField(allow_null=True)
    materials = LineMaterialsSerializer()
    workflow = serializers.CharField(allow_null=True)
    config = serializers.CharField(allow_null=True)
    amount = serializers.FloatField(allow_null=True)
    lead_time = serializers.FloatField(allow_null=True)
    lead_time_reason = serializers.CharField(allow_null=True)
    terms = TermSerializer(many=True)
    conversion = ConversionSerializer(allow_null=True)
